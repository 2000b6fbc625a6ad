import { ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from '@millrace/contracts/admin.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Parts } from '../../storage/parts.ts'
import { clearDefaultStorage, readDefaultStorage, setDefaultStorage } from './default-storage.ts'

const path = '/admin/storage'
const tag = 'Admin'

/** The block with which results are kept where a run names none. Clients ask for it at nearly every run. */
export function defaultStorageRoutes({ lane, reads }: Parts): Route[] {
  return [
    route(
      {
        method: 'GET',
        path,
        tag,
        summary: 'Read where results are kept by default',
        scope: 'server:read',
        answers: { 200: ServerDefaultResultStorage },
      },
      async () => ({ default_result_storage_block_id: await readDefaultStorage(reads) }),
    ),
    route(
      {
        method: 'PUT',
        path,
        tag,
        summary: 'Set where results are kept by default',
        scope: 'server:admin',
        body: ServerDefaultResultStorageUpdate,
        answers: { 200: ServerDefaultResultStorage },
      },
      async ({ body }) => {
        await lane.submit(setDefaultStorage(body.default_result_storage_block_id))
        return body
      },
    ),
    route({ method: 'DELETE', path, tag, summary: 'Forget where results are kept by default', scope: 'server:admin', answers: { 204: null } }, () =>
      lane.submit(clearDefaultStorage),
    ),
  ]
}

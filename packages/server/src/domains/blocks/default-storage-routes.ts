import { ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from '@millrace/contracts/admin.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { clearDefaultStorage, readDefaultStorage, setDefaultStorage } from './default-storage.ts'

const path = '/admin/storage'
const tag = 'Admin'

/** The default block for results. Clients read it at nearly every run. */
export function defaultStorageRoutes({ writeQueue, reads }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'GET',
        path,
        tag,
        summary: 'Read the default result storage',
        scope: 'server:read',
        responses: { 200: ServerDefaultResultStorage },
      },
      async () => ({ default_result_storage_block_id: await readDefaultStorage(reads) }),
    ),
    route(
      {
        method: 'PUT',
        path,
        tag,
        summary: 'Set the default result storage',
        scope: 'server:admin',
        body: ServerDefaultResultStorageUpdate,
        responses: { 200: ServerDefaultResultStorage },
      },
      async ({ body }) => {
        await writeQueue.submit(setDefaultStorage(body.default_result_storage_block_id))
        return body
      },
    ),
    route({ method: 'DELETE', path, tag, summary: 'Clear the default result storage', scope: 'server:admin', responses: { 204: null } }, () =>
      writeQueue.submit(clearDefaultStorage),
    ),
  ]
}

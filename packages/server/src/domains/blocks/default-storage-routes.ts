import { ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from '@millrace/contracts/admin.ts'
import { type Route, route } from '../../lib/route.ts'
import { sharedRead } from '../../lib/shared-read.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { clearDefaultStorage, readDefaultStorage, setDefaultStorage } from './default-storage.ts'

const path = '/admin/storage'
const tag = 'Admin'

/** The default block for results. Clients read it at nearly every task run. */
export function defaultStorageRoutes({ writeQueue, reads }: ServerContext): Route[] {
  const readCurrent = sharedRead(() => readDefaultStorage(reads))
  return [
    route(
      {
        method: 'GET',
        path,
        tag,
        summary: 'Read the default result storage',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: ServerDefaultResultStorage },
      },
      async () => ({ default_result_storage_block_id: await readCurrent() }),
    ),
    route(
      {
        method: 'PUT',
        path,
        tag,
        summary: 'Set the default result storage',
        scope: 'server:admin',
        kind: 'change',
        body: ServerDefaultResultStorageUpdate,
        responses: { 200: ServerDefaultResultStorage },
      },
      async ({ body, actor }) => {
        await writeQueue.as(actor).submit(setDefaultStorage(body.default_result_storage_block_id))
        return body
      },
    ),
    route(
      { method: 'DELETE', path, tag, summary: 'Clear the default result storage', scope: 'server:admin', kind: 'change', responses: { 204: null } },
      ({ actor }) => writeQueue.as(actor).submit(clearDefaultStorage),
    ),
  ]
}

import { ApiError } from '@millrace/client/errors.ts'
import { client } from '../../api/client.ts'
import { poolIdInPath, queueIdInPath } from './legacy-paths.ts'

/** Path by name of a pool or queue that a link names by id. Undefined if it does not exist: the page then shows the error. */
export async function resolvePathById(path: string): Promise<string | undefined> {
  const pool = poolIdInPath(path)
  const queue = queueIdInPath(path)
  if (pool !== undefined) {
    const [found] = await client.workPools.list({ work_pools: { id: { any_: [pool] } } })
    return found && `/work-pools/work-pool/${encodeURIComponent(found.name)}`
  }
  if (queue === undefined) return undefined
  try {
    const { name, work_pool_name } = await client.workQueues.read(queue)
    return work_pool_name ? `/work-pools/work-pool/${encodeURIComponent(work_pool_name)}/queue/${encodeURIComponent(name)}` : '/work-pools'
  } catch (problem) {
    if (problem instanceof ApiError) return undefined
    throw problem
  }
}

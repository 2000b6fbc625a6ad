import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { poolIdIn, queueIdIn } from './old-address.ts'

/** The address of a pool or a queue that a link names by its id, or nothing: then the page itself says what is wrong. */
export async function addressById(path: string): Promise<string | undefined> {
  const pool = poolIdIn(path)
  const queue = queueIdIn(path)
  if (pool !== undefined) {
    const [found] = await call<WorkPoolResponse[]>('POST', '/work_pools/filter', { body: { work_pools: { id: { any_: [pool] } } } })
    return found && `/work-pools/work-pool/${encodeURIComponent(found.name)}`
  }
  if (queue === undefined) return undefined
  try {
    const { name, work_pool_name } = await call<WorkQueueResponse>('GET', `/work_queues/${queue}`)
    return work_pool_name ? `/work-pools/work-pool/${encodeURIComponent(work_pool_name)}/queue/${encodeURIComponent(name)}` : '/work-pools'
  } catch (problem) {
    if (problem instanceof Problem) return undefined
    throw problem
  }
}

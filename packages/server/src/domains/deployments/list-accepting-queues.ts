import type { WorkQueue } from '@millrace/contracts/work-queue.ts'
import { notFound } from '../../errors.ts'
import { type Db, statement } from '../../storage/database.ts'
import { toQueueResponse } from '../work-queues/response.ts'
import type { QueueWithPool } from '../work-queues/store.ts'

const deploymentTags = statement('select tags from deployment where id = $1')
const allQueues = statement(
  `select work_queue.*, work_pool.name as work_pool_name, work_pool.type as work_pool_type
    from work_queue join work_pool on work_pool.id = work_queue.work_pool_id order by work_queue.name, work_queue.id`,
)

interface QueueFilter {
  readonly tags?: readonly string[] | null
  readonly deployment_ids?: readonly string[] | null
}

/** Deprecated: the queues whose filter matches a deployment. Queues without a filter match every deployment, whatever queue it names. */
export async function listQueuesAccepting(reads: Db, deploymentId: string): Promise<WorkQueue[]> {
  const deployment = await reads.first<{ tags: string }>(deploymentTags, [deploymentId])
  if (!deployment) throw notFound('Deployment')
  const deploymentTagSet = new Set(JSON.parse(deployment.tags) as string[])
  const queues = await reads.all<QueueWithPool>(allQueues)
  return queues
    .filter(({ filter }) => {
      const { tags, deployment_ids: ids } = (filter === null ? {} : JSON.parse(filter)) as QueueFilter
      return (tags ?? []).every((tag) => deploymentTagSet.has(tag)) && (!ids || ids.length === 0 || ids.includes(deploymentId))
    })
    .map(toWorkQueue)
}

/** Omits the fields that only other queue responses have. */
function toWorkQueue(row: QueueWithPool): WorkQueue {
  const { work_pool_name: _pool, status: _status, active_slots: _slots, ...queue } = toQueueResponse(row, 0)
  return queue
}

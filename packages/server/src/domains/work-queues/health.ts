import type { WorkQueueStatusDetail } from '@millrace/contracts/work-queue.ts'
import { addSeconds, formatNullableTime, type Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { queueStatusEvent } from './events.ts'
import { type QueueRow, readQueues } from './store.ts'

/** Fixed for all queues. */
const policy = { maximum_late_runs: 0, maximum_seconds_since_last_polled: 60 }

const lateRuns = statement(`select count(*) as count from flow_run where work_queue_id = $1 and state_type = 'SCHEDULED' and state_name = 'Late'`)
const staleQueues = statement(
  (dialect) => `select id from work_queue where status = 'READY' and last_polled < $1 order by id limit $2 ${dialect.forUpdate}`,
)

/** A queue is healthy if it was polled recently and has no late runs. */
export async function readHealth(db: Db, queue: QueueRow, now: Micros): Promise<WorkQueueStatusDetail> {
  const late = (await db.first<{ count: number }>(lateRuns, [queue.id]))?.count ?? 0
  const polled = queue.last_polled !== null && addSeconds(queue.last_polled, policy.maximum_seconds_since_last_polled) >= now
  return {
    healthy: polled && late <= policy.maximum_late_runs,
    late_runs_count: late,
    last_polled: formatNullableTime(queue.last_polled),
    health_check_policy: policy,
  }
}

/** Marks at most `max` ready queues as not ready that were not polled since `silentSince`. Returns their number. */
export async function markStaleQueues({ clock, newId }: ServerContext, tx: Tx, silentSince: Micros, max: number): Promise<number> {
  const stale = await tx.all<{ id: string }>(staleQueues, [silentSince, max])
  if (stale.length === 0) return 0
  const ids = stale.map(({ id }) => id)
  const now = clock.now()
  await tx.update(
    'work_queue',
    ids.map((id) => ({ id, status: 'NOT_READY', updated: now })),
  )
  for (const queue of await readQueues(tx, ids)) tx.emit(queueStatusEvent(queue, newId(), now))
  return stale.length
}

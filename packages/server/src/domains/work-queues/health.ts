import type { WorkQueueStatusDetail } from '@millrace/contracts/work-queue.ts'
import { addSeconds, formatNullableTime, type Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { QueueRow } from './store.ts'

/** The same for every queue. */
const policy = { maximum_late_runs: 0, maximum_seconds_since_last_polled: 60 }

const lateRuns = statement(`select count(*) as count from flow_run where work_queue_id = $1 and state_type = 'SCHEDULED' and state_name = 'Late'`)

/** Whether somebody asks the queue for work, and nothing in it is late. */
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

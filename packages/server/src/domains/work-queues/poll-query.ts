import type { Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import type { DueRange, QueueCapacity } from './due-runs.ts'
import { holdsPoolSlot } from './slot-usage.ts'

/** A queue as a poll sees it: its rights, its load and what its statuses wait for. */
export interface PolledQueue {
  readonly id: string
  readonly name: string
  readonly is_paused: boolean | number
  readonly concurrency_limit: number | null
  readonly status: string
  readonly last_polled: Micros | null
  readonly filter: string | null
  readonly pool_id: string
  readonly pool_name: string
  readonly pool_paused: boolean | number
  readonly pool_limit: number | null
  /** Slots in use as its pool counts them; counted only where the queue or the pool has a limit. */
  readonly in_slots: number
  /** When its next run is due within the range that was asked for. */
  readonly next_due: Micros | null
  readonly deployments_wait: boolean | number
}

/** Each of the subqueries is one step in an index: a poll for which there is nothing to do is this statement alone. */
const polledQueueSelect = `select work_queue.id, work_queue.name, work_queue.is_paused, work_queue.concurrency_limit, work_queue.status, work_queue.last_polled,
    work_queue.filter, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.is_paused as pool_paused, work_pool.concurrency_limit as pool_limit,
    case when work_queue.concurrency_limit is null and work_pool.concurrency_limit is null then 0 else
      (select count(*) from flow_run where flow_run.work_queue_id = work_queue.id and ${holdsPoolSlot}) end as in_slots,
    (select min(next_scheduled_start_time) from flow_run where flow_run.work_queue_id = work_queue.id and flow_run.state_type = 'SCHEDULED'
      and flow_run.next_scheduled_start_time >= $2 and flow_run.next_scheduled_start_time <= $3) as next_due,
    exists (select 1 from deployment where deployment.work_queue_id = work_queue.id and deployment.status = 'NOT_READY') as deployments_wait
  from work_pool join work_queue on work_queue.work_pool_id = work_pool.id`

const ofPool = statement(`${polledQueueSelect} where work_pool.name = $1 order by work_queue.priority`)
const one = statement(`${polledQueueSelect} where work_queue.id = $1`)
/** The queues of a pool in the order in which they are served; none when there is no such pool, as every pool has a queue. */
export const readPolledQueues = (db: Db, poolName: string, range: DueRange): Promise<PolledQueue[]> =>
  db.all<PolledQueue>(ofPool, [poolName, range.after, range.before])

export const readPolledQueue = (db: Db, queueId: string, range: DueRange): Promise<PolledQueue | undefined> =>
  db.first<PolledQueue>(one, [queueId, range.after, range.before])

/** What is left of a limit. */
export const remainingSlots = (limit: number | null, used: number): number => (limit === null ? Number.MAX_SAFE_INTEGER : Math.max(0, limit - used))

/** The queues that have something to give, each with how much of it. */
export function queuesWithCapacity(queues: readonly PolledQueue[]): QueueCapacity[] {
  return queues
    .filter((queue) => queue.next_due !== null && !toBoolean(queue.is_paused) && !toBoolean(queue.pool_paused))
    .map((queue) => ({ id: queue.id, max: remainingSlots(queue.concurrency_limit, queue.in_slots) }))
    .filter(({ max }) => max > 0)
}

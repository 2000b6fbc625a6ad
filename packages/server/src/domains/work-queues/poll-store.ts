import { type Micros, toMicros } from '../../lib/time.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { type Row, toBoolean } from '../../storage/tables.ts'

/** Must equal the condition of the partial index over runs that hold a slot: SQLite uses the index only then. */
export const holdsQueueSlot = `(flow_run.state_type = 'PENDING' or flow_run.state_type = 'RUNNING' or flow_run.state_type = 'CANCELLING')`
/** A cancelling run holds a slot of its queue but not of its pool: the pool's workers can go on. */
export const holdsPoolSlot = `${holdsQueueSlot} and flow_run.state_type <> 'CANCELLING'`

/** Inclusive bounds of the scheduled time. */
export interface DueRange {
  readonly after: Micros
  readonly before: Micros
}

/** Parses the bounds of a request; null means unbounded. */
export const dueRange = (after: string | null, before: string | null): DueRange => ({
  after: after === null ? Number.MIN_SAFE_INTEGER : toMicros(after),
  before: before === null ? Number.MAX_SAFE_INTEGER : toMicros(before),
})

/** A queue with everything that a poll needs: limits, pauses, load and pending status changes. */
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
  /** Pool slots in use by the queue; 0 if neither the queue nor the pool has a limit. */
  readonly used_slots: number
  /** Scheduled time of the next run within the requested range. */
  readonly next_due: Micros | null
  readonly has_unready_deployments: boolean | number
}

/** Each subquery is one index seek. A poll without due runs is this statement alone. */
const polledQueueSelect = `select work_queue.id, work_queue.name, work_queue.is_paused, work_queue.concurrency_limit, work_queue.status, work_queue.last_polled,
    work_queue.filter, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.is_paused as pool_paused, work_pool.concurrency_limit as pool_limit,
    case when work_queue.concurrency_limit is null and work_pool.concurrency_limit is null then 0 else
      (select count(*) from flow_run where flow_run.work_queue_id = work_queue.id and ${holdsPoolSlot}) end as used_slots,
    (select min(next_scheduled_start_time) from flow_run where flow_run.work_queue_id = work_queue.id and flow_run.state_type = 'SCHEDULED'
      and flow_run.next_scheduled_start_time >= $2 and flow_run.next_scheduled_start_time <= $3) as next_due,
    exists (select 1 from deployment where deployment.work_queue_id = work_queue.id and deployment.status = 'NOT_READY') as has_unready_deployments
  from work_pool join work_queue on work_queue.work_pool_id = work_pool.id`

const queuesOfPool = statement(`${polledQueueSelect} where work_pool.name = $1 order by work_queue.priority, work_queue.id`)
const queueById = statement(`${polledQueueSelect} where work_queue.id = $1`)

/** The queues of a pool by priority. Empty if the pool does not exist: every pool has a queue. */
export const readPolledQueues = (db: Db, poolName: string, range: DueRange): Promise<PolledQueue[]> =>
  db.all<PolledQueue>(queuesOfPool, [poolName, range.after, range.before])

export const readPolledQueue = (db: Db, queueId: string, range: DueRange): Promise<PolledQueue | undefined> =>
  db.first<PolledQueue>(queueById, [queueId, range.after, range.before])

export const remainingSlots = (limit: number | null, used: number): number => (limit === null ? Number.MAX_SAFE_INTEGER : Math.max(0, limit - used))

/** How many runs a queue may deliver. */
export interface QueueCapacity {
  readonly id: string
  readonly max: number
}

/** The queues that can deliver runs. */
export function queuesWithCapacity(queues: readonly PolledQueue[]): QueueCapacity[] {
  return queues
    .filter((queue) => queue.next_due !== null && !toBoolean(queue.is_paused) && !toBoolean(queue.pool_paused))
    .map((queue) => ({ id: queue.id, max: remainingSlots(queue.concurrency_limit, queue.used_slots) }))
    .filter(({ max }) => max > 0)
}

type FlowRunRow = Row<'flow_run'>

/** Queues in one statement. Each reads one range of the index, so the cost does not depend on the number of scheduled runs. */
const queuesMax = 16

/** A run that retries in its process is already being executed. */
const notRetriedInProcess = (dialect: Dialect) => `coalesce(${dialect.jsonText('empirical_policy', 'retry_type')}, '') <> 'in_process'`

type DueColumns = 'flow_run.*' | 'flow_run.id'

const queueBranch = (dialect: Dialect, columns: DueColumns, order: number): string =>
  `select * from (select ${columns}, next_scheduled_start_time as due_at, ${order} as queue_order from flow_run
    where work_queue_id = $${2 * order + 3} and state_type = 'SCHEDULED' and next_scheduled_start_time >= $1 and next_scheduled_start_time <= $2
      and ${notRetriedInProcess(dialect)}
    order by next_scheduled_start_time limit $${2 * order + 4}) queue_${order}`

/** Their text depends on the columns and the number of queues only, so that at most `2 * queuesMax` statements are prepared. */
const dueStatements = new Map<string, Statement>()

function dueRunsOfQueues(columns: DueColumns, count: number): Statement {
  const key = `${columns} ${count}`
  let query = dueStatements.get(key)
  if (!query) {
    query = statement((dialect) => {
      const branches = Array.from({ length: count }, (_, order) => queueBranch(dialect, columns, order))
      return count === 1 ? (branches[0] as string) : `${branches.join(' union all ')} order by queue_order, due_at`
    })
    dueStatements.set(key, query)
  }
  return query
}

/** Ordered by queue and then by time. The first queue is read alone: if it has enough runs, the others are not read. */
async function readDue<T>(db: Db, columns: DueColumns, queues: readonly QueueCapacity[], range: DueRange, limit: number): Promise<T[]> {
  const runs: T[] = []
  for (let start = 0; start < queues.length && runs.length < limit; ) {
    const batch = queues.slice(start, start === 0 ? 1 : start + queuesMax)
    const values = batch.flatMap(({ id, max }) => [id, Math.min(max, limit - runs.length)])
    runs.push(...(await db.all<T>(dueRunsOfQueues(columns, batch.length), [range.after, range.before, ...values])))
    start += batch.length
  }
  return runs.slice(0, limit)
}

/** Due runs, ordered by queue and then by time. */
export const readDueRuns = (db: Db, queues: readonly QueueCapacity[], range: DueRange, limit: number): Promise<FlowRunRow[]> =>
  readDue<FlowRunRow>(db, 'flow_run.*', queues, range, limit)

/** The ids of the same runs. */
export const readDueRunIds = async (db: Db, queues: readonly QueueCapacity[], range: DueRange, limit: number): Promise<string[]> =>
  (await readDue<{ id: string }>(db, 'flow_run.id', queues, range, limit)).map(({ id }) => id)

const scheduledRuns = statement((dialect) => `select * from flow_run where ${dialect.inList('id', '$1', 'uuid')} and state_type = 'SCHEDULED'`)

/** Those of the runs that are still scheduled, in the given order. */
export async function readScheduledRuns(db: Db, ids: readonly string[]): Promise<FlowRunRow[]> {
  const runs = new Map((await db.all<FlowRunRow>(scheduledRuns, [db.dialect.list(ids)])).map((run) => [run.id, run]))
  return ids.flatMap((id) => runs.get(id) ?? [])
}

const dueRunsByQueueName = statement(
  (dialect) => `select * from flow_run where work_queue_id is null and work_queue_name = $1 and state_type = 'SCHEDULED'
    and next_scheduled_start_time >= $2 and next_scheduled_start_time <= $3 and ${notRetriedInProcess(dialect)} order by next_scheduled_start_time limit $4`,
)

/** Due runs whose queue was deleted: they keep its name only. */
export const readDueRunsByName = (db: Db, queueName: string, range: DueRange, limit: number): Promise<FlowRunRow[]> =>
  db.all<FlowRunRow>(dueRunsByQueueName, [queueName, range.after, range.before, limit])

import type { FlowRunSlotSummary } from '@millrace/contracts/concurrency-status.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { formatNullableTime, type Micros, secondsBetween } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'

/** The condition of the index over runs that hold a slot, word for word: SQLite uses it only then. */
export const holdsQueueSlot = `flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING')`
/** Runs that are being cancelled hold a slot of their queue, but none of their pool: its workers may go on. */
export const holdsPoolSlot = `${holdsQueueSlot} and flow_run.state_type <> 'CANCELLING'`

type Counts = ReadonlyMap<string, number>

const countSql = (slot: string) =>
  statement(
    (dialect) =>
      `select work_queue_id as id, count(*) as count from flow_run where ${dialect.inList('work_queue_id', '$1', 'uuid')} and ${slot} group by work_queue_id`,
  )
/** Counted queue by queue: joined, SQLite goes through every run in such a state, whatever its pool. */
const poolCounts = statement(
  (
    dialect,
  ) => `select work_pool_id as id, cast(sum((select count(*) from flow_run where flow_run.work_queue_id = work_queue.id and ${holdsPoolSlot})) as bigint) as count
    from work_queue where ${dialect.inList('work_pool_id', '$1', 'uuid')} group by work_pool_id`,
)
const inQueue = countSql(holdsQueueSlot)
const inQueueOfPool = countSql(holdsPoolSlot)
/** Runs that lost their queue still know its name: a queue that is made again under the name takes them up. */
const byNameAlone = statement(`select count(*) as count from flow_run where work_queue_id is null and work_queue_name = $1 and ${holdsQueueSlot}`)

async function count(db: Db, query: typeof inQueue, ids: readonly string[]): Promise<Counts> {
  if (ids.length === 0) return new Map()
  const rows = await db.all<{ id: string; count: number }>(query, [db.dialect.list(ids)])
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** Slots in use by pool. */
export const countPoolSlots = (db: Db, poolIds: readonly string[]): Promise<Counts> => count(db, poolCounts, poolIds)
/** Slots in use by queue, as its pool counts them. */
export const countQueueSlotsOfPool = (db: Db, queueIds: readonly string[]): Promise<Counts> => count(db, inQueueOfPool, queueIds)
/** Slots in use by queue, as the queue itself counts them. */
export const countQueueSlots = (db: Db, queueIds: readonly string[]): Promise<Counts> => count(db, inQueue, queueIds)

export const countSlotsByName = async (db: Db, queueName: string): Promise<number> =>
  (await db.first<{ count: number }>(byNameAlone, [queueName]))?.count ?? 0

interface SlotHolderRow {
  readonly id: string
  readonly name: string
  readonly work_queue_id: string | null
  readonly state_type: string
  readonly state_name: string | null
  readonly start_time: Micros | null
  readonly state_timestamp: Micros | null
}

const columns = 'id, name, work_queue_id, state_type, state_name, start_time, state_timestamp'
const holdersOfPool = statement(
  (dialect) => `select ${columns} from (
      select ${columns}, row_number() over (partition by work_queue_id order by id) as place from flow_run
      where ${dialect.inList('work_queue_id', '$1', 'uuid')} and ${holdsPoolSlot}
    ) flow_run where place <= $2 order by id`,
)
const holdersOfQueue = statement(
  `select ${columns} from flow_run where work_queue_id = $1 and ${holdsQueueSlot}
    union all select ${columns} from flow_run where work_queue_id is null and work_queue_name = $2 and ${holdsQueueSlot}
    order by id limit $3 offset $4`,
)

/** Runs that hold slots of a pool, the first `max` of each queue. */
export const readPoolHolders = (db: Db, queueIds: readonly string[], max: number): Promise<SlotHolderRow[]> =>
  queueIds.length === 0 || max === 0 ? Promise.resolve([]) : db.all<SlotHolderRow>(holdersOfPool, [db.dialect.list(queueIds), max])

export const readQueueHolders = (db: Db, queue: { id: string; name: string }, page: { limit: number; offset: number }): Promise<SlotHolderRow[]> =>
  db.all<SlotHolderRow>(holdersOfQueue, [queue.id, queue.name, page.limit, page.offset])

export const toHolderResponse = (run: SlotHolderRow, now: Micros): FlowRunSlotSummary => ({
  id: run.id,
  name: run.name,
  state_type: run.state_type as StateType,
  state_name: run.state_name,
  start_time: formatNullableTime(run.start_time),
  state_timestamp: formatNullableTime(run.state_timestamp),
  time_in_current_state: run.state_timestamp === null ? null : secondsBetween(run.state_timestamp, now),
})

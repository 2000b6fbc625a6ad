import type { FlowRunSlotSummary, WorkQueueConcurrencyStatus } from '@millrace/contracts/concurrency-status.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { formatNullableTime, type Micros, secondsBetween } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import { pageOffset, toPage } from '../request-params.ts'
import { holdsPoolSlot, holdsQueueSlot } from './poll-store.ts'
import type { QueueRow } from './store.ts'

type Counts = ReadonlyMap<string, number>

const countSql = (slot: string) =>
  statement(
    (dialect) =>
      `select work_queue_id as id, count(*) as count from flow_run where ${dialect.inList('work_queue_id', '$1', 'uuid')} and ${slot} group by work_queue_id`,
  )
/** A subquery for each queue: with a join SQLite scans every run in these states, of all pools. */
const poolCounts = statement(
  (
    dialect,
  ) => `select work_pool_id as id, cast(sum((select count(*) from flow_run where flow_run.work_queue_id = work_queue.id and ${holdsPoolSlot})) as bigint) as count
    from work_queue where ${dialect.inList('work_pool_id', '$1', 'uuid')} group by work_pool_id`,
)
const queueCounts = countSql(holdsQueueSlot)
const queueCountsOfPool = countSql(holdsPoolSlot)
/** Runs of a deleted queue keep its name. A new queue with that name takes them over. */
const countByName = statement(`select count(*) as count from flow_run where work_queue_id is null and work_queue_name = $1 and ${holdsQueueSlot}`)

async function count(db: Db, query: typeof queueCounts, ids: readonly string[]): Promise<Counts> {
  if (ids.length === 0) return new Map()
  const rows = await db.all<{ id: string; count: number }>(query, [db.dialect.list(ids)])
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** Pool slots in use, by pool id. */
export const countPoolSlots = (db: Db, poolIds: readonly string[]): Promise<Counts> => count(db, poolCounts, poolIds)
/** Pool slots in use, by queue id. */
export const countQueueSlotsOfPool = (db: Db, queueIds: readonly string[]): Promise<Counts> => count(db, queueCountsOfPool, queueIds)
/** Queue slots in use, by queue id. */
export const countQueueSlots = (db: Db, queueIds: readonly string[]): Promise<Counts> => count(db, queueCounts, queueIds)

export const countSlotsByName = async (db: Db, queueName: string): Promise<number> =>
  (await db.first<{ count: number }>(countByName, [queueName]))?.count ?? 0

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
      select ${columns}, row_number() over (partition by work_queue_id order by id) as position_in_queue from flow_run
      where ${dialect.inList('work_queue_id', '$1', 'uuid')} and ${holdsPoolSlot}
    ) flow_run where position_in_queue <= $2 order by id`,
)
const holdersOfQueue = statement(
  `select ${columns} from flow_run where work_queue_id = $1 and ${holdsQueueSlot}
    union all select ${columns} from flow_run where work_queue_id is null and work_queue_name = $2 and ${holdsQueueSlot}
    order by id limit $3 offset $4`,
)

/** The first `max` runs of each queue that hold pool slots. */
export const readPoolHolders = (db: Db, queueIds: readonly string[], max: number): Promise<SlotHolderRow[]> =>
  queueIds.length === 0 || max === 0 ? Promise.resolve([]) : db.all<SlotHolderRow>(holdersOfPool, [db.dialect.list(queueIds), max])

const readQueueHolders = (db: Db, queue: { id: string; name: string }, page: { limit: number; offset: number }): Promise<SlotHolderRow[]> =>
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

/** A page of the runs that hold slots of a queue, with their total number. */
export async function readQueueConcurrency(db: Db, queue: QueueRow, limit: number, page: number, now: Micros): Promise<WorkQueueConcurrencyStatus> {
  const count = ((await countQueueSlots(db, [queue.id])).get(queue.id) ?? 0) + (await countSlotsByName(db, queue.name))
  const holders = await readQueueHolders(db, queue, { limit, offset: pageOffset(page, limit) })
  const { results, ...paging } = toPage(
    holders.map((run) => toHolderResponse(run, now)),
    count,
    limit,
    page,
  )
  return { active_slots: count, concurrency_limit: queue.concurrency_limit, flow_runs: [...results], ...paging }
}

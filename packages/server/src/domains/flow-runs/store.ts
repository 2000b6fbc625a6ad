import { sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'

export type FlowRunRow = Row<'flow_run'>

/** A run as lists and reads give it: with the pool of its queue. */
export interface FlowRunWithPool extends FlowRunRow {
  /** The name of its queue; `work_queue_name` is the name that was asked for, which outlives the queue. */
  readonly queue_name?: string | null
  readonly work_pool_id: string | null
  readonly work_pool_name: string | null
}

export const poolColumns = `work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name`
const withPool = `flow_run.*, ${poolColumns}`
export const poolJoin = `left join work_queue on work_queue.id = flow_run.work_queue_id left join work_pool on work_pool.id = work_queue.work_pool_id`

const byId = statement(`select ${withPool} from flow_run ${poolJoin} where flow_run.id = $1`)
const byKeys = statement(
  (dialect) =>
    `select ${withPool} from flow_run ${poolJoin} where ${dialect.inList('flow_run.idempotency_key', '$1', 'text')} and flow_run.idempotency_key is not null`,
)
const remove = statement((dialect) => `delete from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const existing = statement('select 1 as one from flow_run where id = $1')

export const readFlowRun = (db: Db, id: string): Promise<FlowRunWithPool | undefined> => db.first<FlowRunWithPool>(byId, [id])
export const flowRunExists = async (db: Db, id: string): Promise<boolean> => (await db.first(existing, [id])) !== undefined

/** Keys are unique within a flow only: the caller picks by flow. */
export const readFlowRunsByKey = (db: Db, keys: readonly string[]): Promise<FlowRunWithPool[]> =>
  db.all<FlowRunWithPool>(byKeys, [db.dialect.list(keys)])

export const updateFlowRun = (tx: Tx, row: Partial<FlowRunRow>): Promise<number> => tx.update('flow_run', [row])
export const deleteFlowRuns = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(ids)])

export async function listFlowRunIds(db: Db, filters: RelatedFilters, limit: number): Promise<string[]> {
  const query = sql<{ id: string }>`select flow_run.id from flow_run where ${flowRunsWhere(db.dialect, filters)} order by flow_run.id limit ${limit}`
  return (await query.execute(db.kysely)).rows.map(({ id }) => id)
}

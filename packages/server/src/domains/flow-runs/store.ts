import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { type Row, toBoolean } from '../../storage/tables.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { currentStateToResponse, estimatedRunTime, estimatedStartTimeDelta } from '../run-state.ts'

export type FlowRunRow = Row<'flow_run'>

/** A run with the names of its work queue and work pool. */
export interface FlowRunWithPool extends FlowRunRow {
  /** The current name of the queue. `work_queue_name` is the requested name and remains after the queue is deleted. */
  readonly queue_name?: string | null
  readonly work_pool_id: string | null
  readonly work_pool_name: string | null
}

/** A run of a list. Lists omit the columns that no response contains. */
export type ListedFlowRun = Omit<FlowRunWithPool, (typeof unlistedColumns)[number]>
export const unlistedColumns = ['recent_transitions', 'worker_name'] as const

export const poolColumns = `work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name`
const withPool = `flow_run.*, ${poolColumns}`
export const poolJoin = `left join work_queue on work_queue.id = flow_run.work_queue_id left join work_pool on work_pool.id = work_queue.work_pool_id`

const byId = statement(`select ${withPool} from flow_run ${poolJoin} where flow_run.id = $1`)
const byIds = statement((dialect) => `select ${withPool} from flow_run ${poolJoin} where ${dialect.inList('flow_run.id', '$1', 'uuid')}`)
const byKeys = statement(
  (dialect) =>
    `select ${withPool} from flow_run ${poolJoin} where ${dialect.inList('flow_run.idempotency_key', '$1', 'text')} and flow_run.idempotency_key is not null`,
)
const remove = statement((dialect) => `delete from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const existing = statement('select 1 as one from flow_run where id = $1')

export const readFlowRun = (db: Db, id: string): Promise<FlowRunWithPool | undefined> => db.first<FlowRunWithPool>(byId, [id])
export const readFlowRuns = (db: Db, ids: readonly string[]): Promise<FlowRunWithPool[]> => db.all<FlowRunWithPool>(byIds, [db.dialect.list(ids)])
export const flowRunExists = async (db: Db, id: string): Promise<boolean> => (await db.first(existing, [id])) !== undefined

/** Keys are unique per flow: the caller selects by flow. */
export const readFlowRunsByKey = (db: Db, keys: readonly string[]): Promise<FlowRunWithPool[]> =>
  db.all<FlowRunWithPool>(byKeys, [db.dialect.list(keys)])

export const updateFlowRun = (tx: Tx, row: Partial<FlowRunRow>): Promise<number> => tx.update('flow_run', [row])
export const deleteFlowRuns = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(ids)])

export async function listFlowRunIds(db: Db, filters: RelatedFilters, limit: number): Promise<string[]> {
  const query = sql<{ id: string }>`select flow_run.id from flow_run where ${flowRunsWhere(db.dialect, filters)} order by flow_run.id limit ${limit}`
  return (await query.execute(db.kysely)).rows.map(({ id }) => id)
}

/** JSON columns are sent as stored. */
export function toFlowRunResponse(row: ListedFlowRun, now: Micros): FlowRunResponse {
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    flow_id: row.flow_id,
    state_id: row.state_id,
    deployment_id: row.deployment_id,
    deployment_version: row.deployment_version,
    work_queue_id: row.work_queue_id,
    work_queue_name: row.queue_name ?? row.work_queue_name,
    flow_version: row.flow_version,
    parameters: rawJson(row.parameters),
    idempotency_key: row.idempotency_key,
    context: rawJson(row.context),
    empirical_policy: rawJson(row.empirical_policy),
    tags: rawJson(row.tags),
    labels: rawJson(row.labels),
    parent_task_run_id: row.parent_task_run_id,
    state_type: row.state_type as StateType | null,
    state_name: row.state_name,
    run_count: row.run_count,
    expected_start_time: formatNullableTime(row.expected_start_time),
    next_scheduled_start_time: formatNullableTime(row.next_scheduled_start_time),
    start_time: formatNullableTime(row.start_time),
    end_time: formatNullableTime(row.end_time),
    total_run_time: row.total_run_time / MICROS_PER_SECOND,
    estimated_run_time: estimatedRunTime(row, now) / MICROS_PER_SECOND,
    estimated_start_time_delta: estimatedStartTimeDelta(row, now) / MICROS_PER_SECOND,
    auto_scheduled: toBoolean(row.auto_scheduled),
    infrastructure_document_id: row.infrastructure_document_id,
    infrastructure_pid: row.infrastructure_pid,
    created_by: rawJson(row.created_by),
    work_pool_id: row.work_pool_id,
    work_pool_name: row.work_pool_name,
    state: currentStateToResponse(row),
    job_variables: rawJson(row.job_variables),
  }
}

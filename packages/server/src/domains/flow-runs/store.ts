import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type FlowRunWithPool, poolColumns, poolJoin } from '../../runs/flow-run-rows.ts'
import { type Db, statement } from '../../storage/database.ts'
import { columnList, toBoolean } from '../../storage/tables.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { estimatedRunTime, estimatedStartTimeDelta } from '../run-states/run-times.ts'
import { currentStateToResponse } from '../run-states/state-responses.ts'

/** A run of a list. Lists omit the columns that no response contains. */
export type ListedFlowRun = Omit<FlowRunWithPool, (typeof unlistedColumns)[number]>
export const unlistedColumns = ['recent_transitions', 'worker_name'] as const

const withPool = `${columnList('flow_run')}, ${poolColumns}`

const byId = statement(`select ${withPool} from flow_run ${poolJoin} where flow_run.id = $1`)
const byIds = statement((dialect) => `select ${withPool} from flow_run ${poolJoin} where ${dialect.inList('flow_run.id', '$1', 'uuid')}`)
const existing = statement('select 1 as one from flow_run where id = $1')

export const readFlowRun = (db: Db, id: string): Promise<FlowRunWithPool | undefined> => db.first<FlowRunWithPool>(byId, [id])
export const readFlowRuns = (db: Db, ids: readonly string[]): Promise<FlowRunWithPool[]> => db.all<FlowRunWithPool>(byIds, [db.dialect.list(ids)])
export const flowRunExists = async (db: Db, id: string): Promise<boolean> => (await db.first(existing, [id])) !== undefined

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

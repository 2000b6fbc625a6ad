import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { estimatedRunTime, estimatedStartTimeDelta } from '../../orchestration/run-time-estimates.ts'
import { toBoolean } from '../../storage/tables.ts'
import { currentStateToResponse } from '../run-state.ts'
import type { FlowRunWithPool } from './store.ts'

/** A flow run as the API shows it. Its JSON fields go out as they were stored. */
export function toFlowRunResponse(row: FlowRunWithPool, now: Micros): FlowRunResponse {
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

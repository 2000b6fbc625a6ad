import type { StateType } from '@millrace/contracts/state.ts'
import type { TaskRun, TaskRunResponse } from '@millrace/contracts/task-run.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { estimatedRunTime, estimatedStartTimeDelta } from '../../orchestration/run-time-estimates.ts'
import { currentStateToResponse } from '../run-state.ts'
import type { TaskRunRow } from './store.ts'

export function toTaskRunResponse(row: TaskRunRow, now: Micros): TaskRun {
  return {
    ...toTaskRunSummary(row, now),
    dynamic_key: row.dynamic_key,
    cache_key: row.cache_key,
    cache_expiration: formatNullableTime(row.cache_expiration),
    labels: rawJson(row.labels),
    state_type: row.state_type as StateType | null,
    state_name: row.state_name,
    run_count: row.run_count,
    flow_run_run_count: row.flow_run_run_count,
    expected_start_time: formatNullableTime(row.expected_start_time),
    next_scheduled_start_time: formatNullableTime(row.next_scheduled_start_time),
  }
}

/** The reduced run that pages are made of. */
export function toTaskRunSummary(row: TaskRunRow, now: Micros): TaskRunResponse {
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    flow_run_id: row.flow_run_id,
    task_key: row.task_key,
    state_id: row.state_id,
    state: currentStateToResponse(row),
    task_version: row.task_version,
    task_inputs: rawJson(row.task_inputs),
    empirical_policy: rawJson(row.empirical_policy),
    tags: rawJson(row.tags),
    start_time: formatNullableTime(row.start_time),
    end_time: formatNullableTime(row.end_time),
    total_run_time: row.total_run_time / MICROS_PER_SECOND,
    estimated_run_time: estimatedRunTime(row, now) / MICROS_PER_SECOND,
    estimated_start_time_delta: estimatedStartTimeDelta(row, now) / MICROS_PER_SECOND,
  }
}

import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import { rawJson } from '../../lib/json.ts'
import { flatten, plainText, quotedText, storedJson, timeText } from '../../lib/json-fields.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { CurrentStateColumns } from '../../runs/run-state.ts'
import { toBoolean } from '../../storage/tables.ts'
import { estimatedRunTime, estimatedStartTimeDelta, type RunTimes } from '../run-states/run-times.ts'
import { completeDetails } from '../run-states/state-responses.ts'
import type { ListedFlowRun } from './store.ts'

/** A flow run as the JSON text of its response. Only two estimates change while the row does not: those of runs that have not ended. */
export interface RunText {
  /** The text up to the estimates, or all of it if they are fixed. */
  readonly start: string
  readonly end: string
  /** Null if the estimates are fixed. */
  readonly times: RunTimes | null
}

/** The response of a run at a time. */
export const runTextAt = ({ start, end, times }: RunText, now: Micros): string => (times === null ? start : start + estimates(times, now) + end)

/** A single run as the body of a response. */
export const flowRunAnswer = (row: ListedFlowRun, now: Micros): unknown => rawJson(runTextAt(toRunText(row), now))

const estimates = (times: RunTimes, now: Micros): string =>
  `"estimated_run_time":${estimatedRunTime(times, now) / MICROS_PER_SECOND},"estimated_start_time_delta":${estimatedStartTimeDelta(times, now) / MICROS_PER_SECOND}`

/** The same text as `toFlowRunResponse` gives, with the same order of fields. The row must have no lazy columns. */
export function toRunText(row: ListedFlowRun): RunText {
  const start = `{"id":"${row.id}","created":${timeText(row.created)},"updated":${timeText(row.updated)},"name":${quotedText(row.name)},"flow_id":"${row.flow_id}","state_id":${plainText(row.state_id)},"deployment_id":${plainText(row.deployment_id)},"deployment_version":${quotedText(row.deployment_version)},"work_queue_id":${plainText(row.work_queue_id)},"work_queue_name":${quotedText(row.queue_name ?? row.work_queue_name)},"flow_version":${quotedText(row.flow_version)},"parameters":${row.parameters},"idempotency_key":${quotedText(row.idempotency_key)},"context":${row.context},"empirical_policy":${row.empirical_policy},"tags":${row.tags},"labels":${row.labels},"parent_task_run_id":${plainText(row.parent_task_run_id)},"state_type":${plainText(row.state_type)},"state_name":${quotedText(row.state_name)},"run_count":${row.run_count},"expected_start_time":${timeText(row.expected_start_time)},"next_scheduled_start_time":${timeText(row.next_scheduled_start_time)},"start_time":${timeText(row.start_time)},"end_time":${timeText(row.end_time)},"total_run_time":${row.total_run_time / MICROS_PER_SECOND},`
  const end = `,"auto_scheduled":${toBoolean(row.auto_scheduled)},"infrastructure_document_id":${plainText(row.infrastructure_document_id)},"infrastructure_pid":${quotedText(row.infrastructure_pid)},"created_by":${storedJson(row.created_by)},"work_pool_id":${plainText(row.work_pool_id)},"work_pool_name":${quotedText(row.work_pool_name)},"state":${currentStateText(row)},"job_variables":${row.job_variables}}`
  if (!hasFixedEstimates(row)) return { start: flatten(start), end: flatten(end), times: timesOf(row) }
  return { start: flatten(start + estimates(row, 0) + end), end: '', times: null }
}

/** Whether the estimates do not depend on the current time. */
const hasFixedEstimates = ({ state_type, start_time, expected_start_time }: RunTimes): boolean =>
  state_type !== 'RUNNING' && (start_time !== null || expected_start_time === null || isTerminal(state_type as StateType | null))

/** Without the other columns of the row, which the text contains. */
const timesOf = ({ state_type, state_timestamp, expected_start_time, start_time, total_run_time }: RunTimes): RunTimes => ({
  state_type,
  state_timestamp,
  expected_start_time,
  start_time,
  total_run_time,
})

/** The same text as `currentStateToResponse` gives. */
export const currentStateText = (row: CurrentStateColumns): string =>
  row.state_id === null
    ? 'null'
    : `{"id":"${row.state_id}","type":${plainText(row.state_type)},"name":${quotedText(row.state_name)},"timestamp":${timeText(row.state_timestamp)},"message":${quotedText(row.state_message)},"data":${storedJson(row.state_data)},"state_details":${completeDetails(row.state_details as string)}}`

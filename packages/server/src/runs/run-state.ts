import { isTerminal, type State, type StateCreate, type StateType } from '@millrace/contracts/state.ts'
import { nullableJsonText, rawJson } from '../lib/json.ts'
import { plainText, quotedText, storedJson, timeText } from '../lib/json-fields.ts'
import { formatTime, type Micros } from '../lib/time.ts'
import { dataToStore } from '../orchestration/persisted-result.ts'
import type { RunState } from '../orchestration/rule.ts'
import type { ReceivedState } from '../orchestration/states.ts'
import type { Row } from '../storage/tables.ts'
import { completeDetails, parseDetails, storedDetails, toDetailsResponse } from './state-details.ts'

/** The columns of the current state in the row of a run. */
export interface CurrentStateColumns {
  readonly state_id: string | null
  readonly state_type: string | null
  readonly state_name: string | null
  readonly state_timestamp: number | null
  readonly state_message: string | null
  readonly state_data: string | null
  readonly state_details: string | null
}

export function parseCurrentState(row: CurrentStateColumns): RunState | null {
  if (row.state_id === null) return null
  return {
    id: row.state_id,
    type: row.state_type as StateType,
    name: row.state_name as string,
    timestamp: row.state_timestamp as number,
    message: row.state_message,
    data: row.state_data,
    state_details: parseDetails(row.state_details as string),
  }
}

export function toStateColumns(state: RunState | null): CurrentStateColumns {
  if (!state) return noStateColumns
  return {
    state_id: state.id,
    state_type: state.type,
    state_name: state.name,
    state_timestamp: state.timestamp,
    state_message: state.message,
    state_data: dataToStore(state),
    state_details: storedDetails(state.state_details),
  }
}

const noStateColumns: CurrentStateColumns = Object.freeze({
  state_id: null,
  state_type: null,
  state_name: null,
  state_timestamp: null,
  state_message: null,
  state_data: null,
  state_details: null,
})

/** A row of a state history. */
export type StateRow = Omit<Row<'flow_run_state'>, 'flow_run_id'>

export const toStateRow = (state: RunState): StateRow => ({
  id: state.id,
  type: state.type,
  name: state.name,
  timestamp: state.timestamp,
  message: state.message,
  data: dataToStore(state),
  state_details: storedDetails(state.state_details),
  // Set by decide.ts.
  actor: null,
})

export const toStateResponse = (state: RunState): State => ({
  ...state,
  timestamp: formatTime(state.timestamp),
  data: rawJson(state.data),
  state_details: toDetailsResponse(state.state_details),
})

/** From a row of the history. The data is sent as stored, without parsing. */
export const stateRowToResponse = (row: StateRow): State => ({
  id: row.id,
  type: row.type as StateType,
  name: row.name,
  timestamp: formatTime(row.timestamp),
  message: row.message,
  data: rawJson(row.data),
  state_details: rawJson(completeDetails(row.state_details)),
})

/** From the row of a run. The data is sent as stored, without parsing. */
export const currentStateToResponse = (row: CurrentStateColumns): State | null =>
  row.state_id === null
    ? null
    : {
        id: row.state_id,
        type: row.state_type as StateType,
        name: row.state_name,
        timestamp: formatTime(row.state_timestamp as number),
        message: row.state_message,
        data: rawJson(row.state_data),
        state_details: rawJson(completeDetails(row.state_details as string)),
      }

/** The same text as `currentStateToResponse` gives. */
export const currentStateText = (row: CurrentStateColumns): string =>
  row.state_id === null
    ? 'null'
    : `{"id":"${row.state_id}","type":${plainText(row.state_type)},"name":${quotedText(row.state_name)},"timestamp":${timeText(row.state_timestamp)},"message":${quotedText(row.state_message)},"data":${storedJson(row.state_data)},"state_details":${completeDetails(row.state_details as string)}}`

export interface RunTimes {
  /** A `StateType` as text, or null. */
  readonly state_type: string | null
  readonly state_timestamp: Micros | null
  readonly expected_start_time: Micros | null
  readonly start_time: Micros | null
  readonly total_run_time: Micros
}

/** The run time until now. `total_run_time` grows only when a run leaves Running. */
export function estimatedRunTime(run: RunTimes, now: Micros): Micros {
  if (run.state_type !== 'RUNNING' || run.state_timestamp === null) return run.total_run_time
  return run.total_run_time + Math.max(0, now - run.state_timestamp)
}

/** How late the run started, or how late it is now if it is due and has neither started nor ended; otherwise 0. */
export function estimatedStartTimeDelta(run: RunTimes, now: Micros): Micros {
  if (run.expected_start_time === null) return 0
  const started = run.start_time ?? (isTerminal(run.state_type as StateType | null) ? run.expected_start_time : now)
  return Math.max(0, started - run.expected_start_time)
}

/** Converts a state of a request. Its data stays JSON text from here on. */
export const toReceivedState = (state: StateCreate): ReceivedState => ({
  type: state.type,
  ...(state.name === undefined ? {} : { name: state.name }),
  ...(state.message === undefined ? {} : { message: state.message }),
  data: nullableJsonText(state.data),
  ...(state.state_details ? { state_details: state.state_details } : {}),
})

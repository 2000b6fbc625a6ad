import type { State, StateDetails, StateType } from '@millrace/contracts/state.ts'
import { rawJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import { dataToStore } from '../orchestration/persisted-result.ts'
import type { RunState } from '../orchestration/rule.ts'
import type { Row } from '../storage/tables.ts'

/** How a state stands on a run's own row. */
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
    state_details: JSON.parse(row.state_details as string) as StateDetails,
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
    state_details: JSON.stringify(state.state_details),
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

/** A row of a history of states. */
export type StateRow = Omit<Row<'flow_run_state'>, 'flow_run_id'>

export const toStateRow = (state: RunState): StateRow => ({
  id: state.id,
  type: state.type,
  name: state.name,
  timestamp: state.timestamp,
  message: state.message,
  data: dataToStore(state),
  state_details: JSON.stringify(state.state_details),
})

export const toStateResponse = (state: RunState): State => ({ ...state, timestamp: formatTime(state.timestamp), data: rawJson(state.data) })

/** The same from a row of history, whose details are text already. */
export const stateRowToResponse = (row: StateRow): State => ({
  id: row.id,
  type: row.type as StateType,
  name: row.name,
  timestamp: formatTime(row.timestamp),
  message: row.message,
  data: rawJson(row.data),
  state_details: rawJson(row.state_details),
})

/** The current state of a run's row as an answer, without reading its details. */
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
        state_details: rawJson(row.state_details),
      }

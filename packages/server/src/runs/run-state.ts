import type { State, StateDetails, StateType } from '@millrace/contracts/state.ts'
import { rawJson } from '../lib/json.ts'
import { dropZeroFraction, formatTime } from '../lib/time.ts'
import type { RunState } from '../orchestration/rule.ts'
import { dataToStore, withDefaultDetails } from '../orchestration/states.ts'
import type { Row } from '../storage/tables.ts'

/** The columns of the current state in the row of a run. */
export type CurrentStateColumns = Readonly<
  Pick<Row<'flow_run'>, 'state_id' | 'state_type' | 'state_name' | 'state_timestamp' | 'state_message' | 'state_data' | 'state_details'>
>

/** The columns that count and time a run. */
type RunTimeColumns = Readonly<
  Pick<Row<'flow_run'>, 'run_count' | 'expected_start_time' | 'next_scheduled_start_time' | 'start_time' | 'end_time' | 'total_run_time'>
>

export const runTimesOf = (run: RunTimeColumns): RunTimeColumns => ({
  run_count: run.run_count,
  expected_start_time: run.expected_start_time,
  next_scheduled_start_time: run.next_scheduled_start_time,
  start_time: run.start_time,
  end_time: run.end_time,
  total_run_time: run.total_run_time,
})

/** Of a run before its first state. */
export const noRunTimes: RunTimeColumns = {
  run_count: 0,
  expected_start_time: null,
  next_scheduled_start_time: null,
  start_time: null,
  end_time: null,
  total_run_time: 0,
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

export const parseStateRow = (row: StateRow): RunState => ({
  id: row.id,
  type: row.type as StateType,
  name: row.name,
  timestamp: row.timestamp,
  message: row.message,
  data: row.data,
  state_details: parseDetails(row.state_details),
})

export const toStateResponse = (state: RunState): State => ({
  ...state,
  timestamp: formatTime(state.timestamp),
  data: rawJson(state.data),
  state_details: toDetailsResponse(state.state_details),
})

const defaults = withDefaultDetails()

const detailNames = Object.keys(defaults) as (keyof StateDetails)[]

/** Details as stored: without those that have their default. With them, they would be the largest part of a run and of each state in its history. */
export function storedDetails(details: StateDetails): string {
  const stored: Partial<Record<keyof StateDetails, unknown>> = {}
  for (const name of detailNames) if (details[name] !== defaults[name]) stored[name] = details[name]
  return JSON.stringify(stored)
}

/** Details as rules use them. */
export const parseDetails = (stored: string): StateDetails => ({ ...defaults, ...(JSON.parse(stored) as Partial<StateDetails>) })

/** Stored times have six digits, so that SQL can compare them; responses leave out a zero fraction. */
export function toDetailsResponse(details: StateDetails): StateDetails {
  const { scheduled_time, cache_expiration, pause_timeout } = details
  if (!scheduled_time && !cache_expiration && !pause_timeout) return details
  return {
    ...details,
    scheduled_time: scheduled_time && dropZeroFraction(scheduled_time),
    cache_expiration: cache_expiration && dropZeroFraction(cache_expiration),
    pause_timeout: pause_timeout && dropZeroFraction(pause_timeout),
  }
}

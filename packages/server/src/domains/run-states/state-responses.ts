import type { State, StateType } from '@millrace/contracts/state.ts'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { withDefaultDetails } from '../../orchestration/states.ts'
import { type CurrentStateColumns, parseDetails, type StateRow, toDetailsResponse } from '../../runs/run-state.ts'

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

const defaults = withDefaultDetails()

/** Only a text with all details contains this. Older versions stored these. */
const defaultCacheKey = '"cache_key":null'

const afterFlowRunId = JSON.stringify({ ...defaults, flow_run_id: undefined }).slice(1)
const afterTaskRunId = JSON.stringify({ ...defaults, flow_run_id: undefined, task_run_id: undefined }).slice(1)
const onlyFlowRunId = /^\{"flow_run_id":"[^"]*"\}$/
const onlyRunIds = /^\{"flow_run_id":(?:"[^"]*"|null),"task_run_id":"[^"]*"\}$/

/** Details as the text of a response. Most states have no other details than their runs, so these need no parsing. */
export function completeDetails(stored: string): string {
  if (stored.includes(defaultCacheKey) && !stored.includes(zeroFraction)) return stored
  if (onlyFlowRunId.test(stored)) return `${stored.slice(0, -1)},${afterFlowRunId}`
  if (onlyRunIds.test(stored)) return `${stored.slice(0, -1)},${afterTaskRunId}`
  return JSON.stringify(toDetailsResponse(parseDetails(stored)))
}

/** Of a stored time that responses show without it. */
const zeroFraction = '.000000Z"'

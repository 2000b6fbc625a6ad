import Type, { type Static } from 'typebox'
import { parameters, response, Text, Time } from './primitives.ts'
import { byRuns, byRunsAndWorkQueues } from './related-filters.ts'
import { StateType } from './state.ts'

/** At least one second; fractions are allowed. */
const span = { history_start: Time, history_end: Time, history_interval_seconds: Type.Number({ minimum: 1 }) }

export const FlowRunsHistoryBody = parameters({ ...span, ...byRunsAndWorkQueues })
export type FlowRunsHistoryBody = Static<typeof FlowRunsHistoryBody>

export const TaskRunsHistoryBody = parameters({ ...span, ...byRuns })
export type TaskRunsHistoryBody = Static<typeof TaskRunsHistoryBody>

export const HistoryResponseState = response('HistoryResponseState', {
  state_type: StateType,
  state_name: Text,
  count_runs: Type.Integer(),
  sum_estimated_run_time: Type.Number(),
  sum_estimated_lateness: Type.Number(),
})
export type HistoryResponseState = Static<typeof HistoryResponseState>

export const HistoryResponse = response('HistoryResponse', {
  interval_start: Time,
  interval_end: Time,
  states: Type.Array(HistoryResponseState),
})
export type HistoryResponse = Static<typeof HistoryResponse>

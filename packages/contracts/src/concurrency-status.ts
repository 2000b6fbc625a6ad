import Type, { type Static } from 'typebox'
import { limit, page, pageInfo } from './paging.ts'
import { defaulted, nullable, parameters, response, Text, Time, Uuid } from './primitives.ts'
import { StateType } from './state.ts'

/** A run that holds a slot; `time_in_current_state` is in seconds. */
export const FlowRunSlotSummary = response('FlowRunSlotSummary', {
  id: Uuid,
  name: Text,
  state_type: nullable(StateType),
  state_name: nullable(Text),
  start_time: nullable(Time),
  state_timestamp: nullable(Time),
  time_in_current_state: nullable(Type.Number()),
})
export type FlowRunSlotSummary = Static<typeof FlowRunSlotSummary>

/** `flow_runs` is truncated to the requested limit; `flow_run_count` is the total. */
export const WorkQueueConcurrencyStatusDetail = response('WorkQueueConcurrencyStatusDetail', {
  queue_id: Uuid,
  queue_name: Text,
  active_slots: Type.Integer(),
  concurrency_limit: nullable(Type.Integer()),
  flow_runs: Type.Array(FlowRunSlotSummary),
  flow_run_count: nullable(Type.Integer()),
})
export type WorkQueueConcurrencyStatusDetail = Static<typeof WorkQueueConcurrencyStatusDetail>

export const WorkPoolConcurrencyStatus = response('WorkPoolConcurrencyStatus', {
  active_slots: Type.Integer(),
  concurrency_limit: nullable(Type.Integer()),
  queues: Type.Array(WorkQueueConcurrencyStatusDetail),
  ...pageInfo,
})
export type WorkPoolConcurrencyStatus = Static<typeof WorkPoolConcurrencyStatus>

export const WorkQueueConcurrencyStatus = response('WorkQueueConcurrencyStatus', {
  active_slots: Type.Integer(),
  concurrency_limit: nullable(Type.Integer()),
  flow_runs: Type.Array(FlowRunSlotSummary),
  ...pageInfo,
})
export type WorkQueueConcurrencyStatus = Static<typeof WorkQueueConcurrencyStatus>

export const WorkPoolConcurrencyStatusBody = parameters({ page, flow_run_limit: defaulted(Type.Integer({ minimum: 0, maximum: 200 }), 10), limit })
export type WorkPoolConcurrencyStatusBody = Static<typeof WorkPoolConcurrencyStatusBody>
export const WorkQueueConcurrencyStatusBody = parameters({ page, limit })
export type WorkQueueConcurrencyStatusBody = Static<typeof WorkQueueConcurrencyStatusBody>

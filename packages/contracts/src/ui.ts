import Type, { type Static } from 'typebox'
import { FlowRunSort } from './flow-run.ts'
import { defaulted, enumOf, nullable, parameters, response, Text, Time, Uuid } from './primitives.ts'
import { byRuns, byRunsAndQueues, byRunsAndWorkQueues } from './related-filters.ts'
import { StateType } from './state.ts'
import { taskRunFields } from './task-run.ts'
import { TaskRunFilter } from './task-run-filter.ts'

/** Requests of the dashboard of the reference. */

export const UIFlowRunsHistoryBody = parameters({
  sort: defaulted(FlowRunSort, 'EXPECTED_START_TIME_DESC'),
  limit: defaulted(Type.Integer({ minimum: 0, maximum: 1000 }), 1000),
  offset: defaulted(Type.Integer({ minimum: 0 }), 0, { 'x-own': true }),
  ...byRunsAndQueues,
})
export type UIFlowRunsHistoryBody = Static<typeof UIFlowRunsHistoryBody>

/** A point of a chart: `duration` and `lateness` are in seconds. */
export const SimpleFlowRun = response('SimpleFlowRun', {
  id: Uuid,
  state_type: StateType,
  timestamp: Time,
  duration: Type.Number(),
  lateness: Type.Number(),
})
export type SimpleFlowRun = Static<typeof SimpleFlowRun>

/** Counts by the requested id. */
export const CountsById = Type.Record(Type.String(), Type.Integer())
export type CountsById = Static<typeof CountsById>

export const UIFlowRunsCountTaskRunsBody = parameters({ flow_run_ids: Type.Array(Uuid) })
export type UIFlowRunsCountTaskRunsBody = Static<typeof UIFlowRunsCountTaskRunsBody>
export const UIFlowsCountDeploymentsBody = parameters({ flow_ids: Type.Array(Uuid) })
export type UIFlowsCountDeploymentsBody = Static<typeof UIFlowsCountDeploymentsBody>
export const UIFlowsNextRunsBody = parameters({ flow_ids: Type.Array(Uuid) })
export type UIFlowsNextRunsBody = Static<typeof UIFlowsNextRunsBody>

export const SimpleNextFlowRun = response('SimpleNextFlowRun', {
  id: Uuid,
  flow_id: Uuid,
  name: Text,
  state_name: Text,
  state_type: StateType,
  next_scheduled_start_time: Time,
})
export type SimpleNextFlowRun = Static<typeof SimpleNextFlowRun>

/** By flow id; null for a flow without scheduled runs. */
export const NextRunsByFlow = Type.Record(Type.String(), nullable(SimpleNextFlowRun))
export type NextRunsByFlow = Static<typeof NextRunsByFlow>

/** `task_runs.start_time.after_` is required as the start of the chart. */
export const UITaskRunsDashboardCountsBody = parameters({ ...byRunsAndWorkQueues, task_runs: TaskRunFilter })
export type UITaskRunsDashboardCountsBody = Static<typeof UITaskRunsDashboardCountsBody>

/** One of the equal time buckets of the chart. */
export const TaskRunCount = response('TaskRunCount', { completed: Type.Integer(), failed: Type.Integer() })
export type TaskRunCount = Static<typeof TaskRunCount>

export const UITaskRunsCountBody = parameters(byRuns)
export type UITaskRunsCountBody = Static<typeof UITaskRunsCountBody>

export const CountByState = response('CountByState', {
  COMPLETED: Type.Integer(),
  PENDING: Type.Integer(),
  RUNNING: Type.Integer(),
  FAILED: Type.Integer(),
  CANCELLED: Type.Integer(),
  CRASHED: Type.Integer(),
  PAUSED: Type.Integer(),
  CANCELLING: Type.Integer(),
  SCHEDULED: Type.Integer(),
})
export type CountByState = Static<typeof CountByState>

export const UITaskRun = response('UITaskRun', { ...taskRunFields, flow_run_name: nullable(Text) })
export type UITaskRun = Static<typeof UITaskRun>

const Bundle = enumOf('v1', 'v2')

/** The server settings for the dashboard, outside of the API. */
export const UISettings = response('UISettings', {
  api_url: Text,
  csrf_enabled: Type.Boolean(),
  auth: nullable(Text),
  flags: Type.Array(Text),
  default_ui: Bundle,
  available_uis: Type.Array(Bundle),
  v1_base_url: nullable(Text),
  v2_base_url: nullable(Text),
})
export type UISettings = Static<typeof UISettings>

import Type, { type Static } from 'typebox'
import { byAllTags, byId, byName, byText, byTime, byTimeOrNull, flag, ids, operatorField } from './filter.ts'
import { model, nullable, orNull, publishedDefault } from './primitives.ts'
import { StateType } from './state.ts'

export const TaskRunFilterId = model('TaskRunFilterId', byId)
export const TaskRunFilterName = model('TaskRunFilterName', byName)
export const TaskRunFilterTags = model('TaskRunFilterTags', byAllTags)
export const TaskRunFilterStateType = model('TaskRunFilterStateType', { any_: orNull(Type.Array(StateType)) })
export const TaskRunFilterStateName = model('TaskRunFilterStateName', byText)
export const TaskRunFilterState = model('TaskRunFilterState', {
  ...operatorField,
  type: orNull(TaskRunFilterStateType),
  name: orNull(TaskRunFilterStateName),
})
export const TaskRunFilterStartTime = model('TaskRunFilterStartTime', byTimeOrNull)
export const TaskRunFilterEndTime = model('TaskRunFilterEndTime', byTimeOrNull)
export const TaskRunFilterExpectedStartTime = model('TaskRunFilterExpectedStartTime', byTime)
export const TaskRunFilterSubFlowRuns = model('TaskRunFilterSubFlowRuns', { exists_: flag })

/** `is_null_` is published with the default false, as in the v3 API, but a filter without it matches task runs without a flow run too. */
export const TaskRunFilterFlowRunId = model('TaskRunFilterFlowRunId', {
  ...operatorField,
  any_: ids,
  is_null_: publishedDefault(nullable(Type.Boolean()), false),
})

export const TaskRunFilter = model('TaskRunFilter', {
  ...operatorField,
  id: orNull(TaskRunFilterId),
  name: orNull(TaskRunFilterName),
  tags: orNull(TaskRunFilterTags),
  state: orNull(TaskRunFilterState),
  start_time: orNull(TaskRunFilterStartTime),
  end_time: orNull(TaskRunFilterEndTime),
  expected_start_time: orNull(TaskRunFilterExpectedStartTime),
  subflow_runs: orNull(TaskRunFilterSubFlowRuns),
  flow_run_id: orNull(TaskRunFilterFlowRunId),
})
export type TaskRunFilter = Static<typeof TaskRunFilter>

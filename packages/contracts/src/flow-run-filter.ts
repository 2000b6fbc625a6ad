import Type, { type Static } from 'typebox'
import { byIdOrNot, byName, byTags, byText, byTextOrNot, byTime, byTimeOrNull, flag, ids, operatorField, texts } from './filter.ts'
import { FreeObject, model, orNull } from './primitives.ts'
import { StateType } from './state.ts'

const types = orNull(Type.Array(StateType))

export const FlowRunFilterId = model('FlowRunFilterId', byIdOrNot)
export const FlowRunFilterName = model('FlowRunFilterName', byName)
export const FlowRunFilterTags = model('FlowRunFilterTags', byTags)
export const FlowRunFilterDeploymentId = model('FlowRunFilterDeploymentId', { ...operatorField, any_: ids, is_null_: flag })
export const FlowRunFilterWorkQueueName = model('FlowRunFilterWorkQueueName', { ...operatorField, any_: texts, is_null_: flag })
export const FlowRunFilterStateType = model('FlowRunFilterStateType', { any_: types, not_any_: types })
export const FlowRunFilterStateName = model('FlowRunFilterStateName', byTextOrNot)
export const FlowRunFilterState = model('FlowRunFilterState', {
  ...operatorField,
  type: orNull(FlowRunFilterStateType),
  name: orNull(FlowRunFilterStateName),
})
export const FlowRunFilterFlowVersion = model('FlowRunFilterFlowVersion', byText)
export const FlowRunFilterStartTime = model('FlowRunFilterStartTime', byTimeOrNull)
export const FlowRunFilterEndTime = model('FlowRunFilterEndTime', byTimeOrNull)
export const FlowRunFilterExpectedStartTime = model('FlowRunFilterExpectedStartTime', byTime)
export const FlowRunFilterNextScheduledStartTime = model('FlowRunFilterNextScheduledStartTime', byTime)
export const FlowRunFilterParentFlowRunId = model('FlowRunFilterParentFlowRunId', { ...operatorField, any_: ids })
export const FlowRunFilterParentTaskRunId = model('FlowRunFilterParentTaskRunId', { ...operatorField, any_: ids, is_null_: flag })
export const FlowRunFilterIdempotencyKey = model('FlowRunFilterIdempotencyKey', byTextOrNot)
export const FlowRunFilterCreatedBy = model('FlowRunFilterCreatedBy', { ...operatorField, id_: ids, type_: texts, is_null_: flag })
/** An extension of Millrace. Matches runs whose parameters contain these values: objects may have more keys, other values must be equal. */
export const FlowRunFilterParameters = model('FlowRunFilterParameters', { matches_: orNull(FreeObject) })

export const FlowRunFilter = model('FlowRunFilter', {
  ...operatorField,
  id: orNull(FlowRunFilterId),
  name: orNull(FlowRunFilterName),
  tags: orNull(FlowRunFilterTags),
  deployment_id: orNull(FlowRunFilterDeploymentId),
  work_queue_name: orNull(FlowRunFilterWorkQueueName),
  state: orNull(FlowRunFilterState),
  flow_version: orNull(FlowRunFilterFlowVersion),
  start_time: orNull(FlowRunFilterStartTime),
  end_time: orNull(FlowRunFilterEndTime),
  expected_start_time: orNull(FlowRunFilterExpectedStartTime),
  next_scheduled_start_time: orNull(FlowRunFilterNextScheduledStartTime),
  parent_flow_run_id: orNull(FlowRunFilterParentFlowRunId),
  parent_task_run_id: orNull(FlowRunFilterParentTaskRunId),
  idempotency_key: orNull(FlowRunFilterIdempotencyKey),
  created_by: orNull(FlowRunFilterCreatedBy),
  parameters: orNull(FlowRunFilterParameters),
})
export type FlowRunFilter = Static<typeof FlowRunFilter>

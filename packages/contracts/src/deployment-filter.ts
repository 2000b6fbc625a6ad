import Type, { type Static } from 'typebox'
import { byIdOrNot, byName, byTags, byText, flag, operatorField, pattern } from './filter.ts'
import { model, orNull } from './primitives.ts'

const bound = orNull(Type.Integer())

export const DeploymentFilterId = model('DeploymentFilterId', byIdOrNot)
export const DeploymentFilterName = model('DeploymentFilterName', byName)
export const DeploymentOrFlowNameFilter = model('DeploymentOrFlowNameFilter', { like_: pattern })
export const DeploymentFilterPaused = model('DeploymentFilterPaused', { eq_: flag })
export const DeploymentFilterTags = model('DeploymentFilterTags', byTags)
export const DeploymentFilterWorkQueueName = model('DeploymentFilterWorkQueueName', byText)
export const DeploymentFilterConcurrencyLimit = model('DeploymentFilterConcurrencyLimit', { ge_: bound, le_: bound, is_null_: flag })

/** `concurrency_limit` is read and ignored. */
export const DeploymentFilter = model('DeploymentFilter', {
  ...operatorField,
  id: orNull(DeploymentFilterId),
  name: orNull(DeploymentFilterName),
  flow_or_deployment_name: orNull(DeploymentOrFlowNameFilter),
  paused: orNull(DeploymentFilterPaused),
  tags: orNull(DeploymentFilterTags),
  work_queue_name: orNull(DeploymentFilterWorkQueueName),
  concurrency_limit: orNull(DeploymentFilterConcurrencyLimit, { deprecated: true }),
})
export type DeploymentFilter = Static<typeof DeploymentFilter>

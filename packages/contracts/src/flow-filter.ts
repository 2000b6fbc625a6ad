import type { Static } from 'typebox'
import { byAllTags, byIdOrNot, byName, flag, operatorField } from './filter.ts'
import { model, orNull } from './primitives.ts'

export const FlowFilterId = model('FlowFilterId', byIdOrNot)
export const FlowFilterDeployment = model('FlowFilterDeployment', { ...operatorField, is_null_: flag })
export const FlowFilterName = model('FlowFilterName', byName)
export const FlowFilterTags = model('FlowFilterTags', byAllTags)

export const FlowFilter = model('FlowFilter', {
  ...operatorField,
  id: orNull(FlowFilterId),
  deployment: orNull(FlowFilterDeployment),
  name: orNull(FlowFilterName),
  tags: orNull(FlowFilterTags),
})
export type FlowFilter = Static<typeof FlowFilter>

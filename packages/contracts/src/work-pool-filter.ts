import type { Static } from 'typebox'
import { byId, byText, operatorField } from './filter.ts'
import { model, orNull } from './primitives.ts'

export const WorkPoolFilterId = model('WorkPoolFilterId', byId)
export const WorkPoolFilterName = model('WorkPoolFilterName', byText)
export const WorkPoolFilterType = model('WorkPoolFilterType', byText)

export const WorkPoolFilter = model('WorkPoolFilter', {
  ...operatorField,
  id: orNull(WorkPoolFilterId),
  name: orNull(WorkPoolFilterName),
  type: orNull(WorkPoolFilterType),
})
export type WorkPoolFilter = Static<typeof WorkPoolFilter>

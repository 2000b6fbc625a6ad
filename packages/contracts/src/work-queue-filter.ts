import type { Static } from 'typebox'
import { byId, byText, fewTexts, operatorField } from './filter.ts'
import { model, orNull } from './primitives.ts'

export const WorkQueueFilterId = model('WorkQueueFilterId', byId)
export const WorkQueueFilterName = model('WorkQueueFilterName', { ...byText, startswith_: fewTexts })

export const WorkQueueFilter = model('WorkQueueFilter', { ...operatorField, id: orNull(WorkQueueFilterId), name: orNull(WorkQueueFilterName) })
export type WorkQueueFilter = Static<typeof WorkQueueFilter>

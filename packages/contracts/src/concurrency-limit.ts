import Type, { type Static } from 'typebox'
import { limit, offset } from './paging.ts'
import { entityFields, model, Name, orNull, parameters, response, Text, Uuid } from './primitives.ts'

/** The older limits by tag. They are stored as global limits named `tag:` followed by the tag. */
export const ConcurrencyLimit = response('ConcurrencyLimit', {
  ...entityFields,
  tag: Text,
  concurrency_limit: Type.Integer(),
  active_slots: Type.Array(Uuid),
})
export type ConcurrencyLimit = Static<typeof ConcurrencyLimit>

export const ConcurrencyLimitCreate = model('ConcurrencyLimitCreate', { tag: Name, concurrency_limit: Type.Integer() })
export type ConcurrencyLimitCreate = Static<typeof ConcurrencyLimitCreate>

export const ConcurrencyLimitsFilterBody = parameters({ offset, limit })
export type ConcurrencyLimitsFilterBody = Static<typeof ConcurrencyLimitsFilterBody>
export const ConcurrencyLimitResetBody = parameters({ slot_override: orNull(Type.Array(Uuid)) })
export type ConcurrencyLimitResetBody = Static<typeof ConcurrencyLimitResetBody>

const slots = { names: Type.Array(Text), task_run_id: Uuid }
export const ConcurrencyLimitsIncrementBody = parameters(slots)
export type ConcurrencyLimitsIncrementBody = Static<typeof ConcurrencyLimitsIncrementBody>
export const ConcurrencyLimitsDecrementBody = parameters(slots)
export type ConcurrencyLimitsDecrementBody = Static<typeof ConcurrencyLimitsDecrementBody>

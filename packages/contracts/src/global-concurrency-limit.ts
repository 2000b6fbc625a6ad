import Type, { type Static } from 'typebox'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, enumOf, model, NewPathName, nullable, orNull, PathName, parameters, response, Text, Uuid } from './primitives.ts'

/** The response of a create. Reads return a `GlobalConcurrencyLimitResponse`. */
export const ConcurrencyLimitV2 = response('ConcurrencyLimitV2', {
  ...entityFields,
  active: Type.Boolean(),
  name: PathName,
  limit: Type.Integer(),
  active_slots: Type.Integer(),
  denied_slots: Type.Integer(),
  slot_decay_per_second: Type.Number(),
  avg_slot_occupancy_seconds: Type.Number(),
})
export type ConcurrencyLimitV2 = Static<typeof ConcurrencyLimitV2>

export const GlobalConcurrencyLimitResponse = response('GlobalConcurrencyLimitResponse', {
  ...entityFields,
  active: Type.Boolean(),
  name: Text,
  limit: Type.Integer(),
  active_slots: Type.Integer(),
  slot_decay_per_second: Type.Number(),
})
export type GlobalConcurrencyLimitResponse = Static<typeof GlobalConcurrencyLimitResponse>

const Amount = Type.Integer({ minimum: 0 })
const Decay = Type.Number({ minimum: 0 })

export const ConcurrencyLimitV2Create = model('ConcurrencyLimitV2Create', {
  active: defaulted(Type.Boolean(), true),
  name: NewPathName,
  limit: Amount,
  active_slots: defaulted(Amount, 0),
  denied_slots: defaulted(Amount, 0),
  slot_decay_per_second: defaulted(Decay, 0),
})
export type ConcurrencyLimitV2Create = Static<typeof ConcurrencyLimitV2Create>

export const ConcurrencyLimitV2Update = model('ConcurrencyLimitV2Update', {
  active: Type.Optional(nullable(Type.Boolean())),
  name: Type.Optional(nullable(NewPathName)),
  limit: Type.Optional(nullable(Amount)),
  active_slots: Type.Optional(nullable(Amount)),
  denied_slots: Type.Optional(nullable(Amount)),
  slot_decay_per_second: Type.Optional(nullable(Decay)),
})
export type ConcurrencyLimitV2Update = Static<typeof ConcurrencyLimitV2Update>

export const MinimalConcurrencyLimitResponse = response('MinimalConcurrencyLimitResponse', { id: Uuid, name: Text, limit: Type.Integer() })
export type MinimalConcurrencyLimitResponse = Static<typeof MinimalConcurrencyLimitResponse>

export const ConcurrencyLimitWithLeaseResponse = response('ConcurrencyLimitWithLeaseResponse', {
  lease_id: Uuid,
  limits: Type.Array(MinimalConcurrencyLimitResponse),
})
export type ConcurrencyLimitWithLeaseResponse = Static<typeof ConcurrencyLimitWithLeaseResponse>

export const ConcurrencyLeaseHolder = model('ConcurrencyLeaseHolder', { type: enumOf('flow_run', 'task_run', 'deployment'), id: Uuid })
export type ConcurrencyLeaseHolder = Static<typeof ConcurrencyLeaseHolder>

/** An empty list of names is valid and takes no slots. */
const slots = { slots: Type.Integer({ exclusiveMinimum: 0 }), names: Type.Array(Text) }
const mode = defaulted(enumOf('concurrency', 'rate_limit'), 'concurrency')
const lease_duration = defaulted(Type.Number({ minimum: 60, maximum: 86400 }), 300)

/** `create_if_missing` has no effect: limits are never created implicitly. */
const create_if_missing = orNull(Type.Boolean(), { deprecated: true })

export const GlobalConcurrencyLimitsFilterBody = parameters({ offset, limit })
export type GlobalConcurrencyLimitsFilterBody = Static<typeof GlobalConcurrencyLimitsFilterBody>
export const GlobalConcurrencyLimitsIncrementBody = parameters({ ...slots, mode, create_if_missing })
export type GlobalConcurrencyLimitsIncrementBody = Static<typeof GlobalConcurrencyLimitsIncrementBody>
export const GlobalConcurrencyLimitsIncrementWithLeaseBody = parameters({ ...slots, mode, lease_duration, holder: orNull(ConcurrencyLeaseHolder) })
export type GlobalConcurrencyLimitsIncrementWithLeaseBody = Static<typeof GlobalConcurrencyLimitsIncrementWithLeaseBody>
export const GlobalConcurrencyLimitsDecrementBody = parameters({
  ...slots,
  occupancy_seconds: orNull(Type.Number({ exclusiveMinimum: 0 })),
  create_if_missing,
})
export type GlobalConcurrencyLimitsDecrementBody = Static<typeof GlobalConcurrencyLimitsDecrementBody>
export const GlobalConcurrencyLimitsDecrementWithLeaseBody = parameters({ lease_id: Uuid })
export type GlobalConcurrencyLimitsDecrementWithLeaseBody = Static<typeof GlobalConcurrencyLimitsDecrementWithLeaseBody>
export const ConcurrencyLeaseRenewBody = parameters({ lease_duration })
export type ConcurrencyLeaseRenewBody = Static<typeof ConcurrencyLeaseRenewBody>

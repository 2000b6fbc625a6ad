import Type, { type Static } from 'typebox'
import { nullable, response, Text, Time, Uuid } from './primitives.ts'

/** Slots in use: their holder, their start and their expiration unless renewed. Anonymous slots have no holder. */
export const LimitHolder = response('LimitHolder', {
  lease_id: Uuid,
  slots: Type.Integer(),
  holder_type: nullable(Text),
  holder_id: nullable(Text),
  /** The name of the holding run, if known. */
  name: nullable(Text),
  /** The flow run of the holder: the holder itself, or that of its task run. */
  flow_run_id: nullable(Uuid),
  since: Time,
  expires: nullable(Time),
})
export type LimitHolder = Static<typeof LimitHolder>

/** A client that waits for a slot and will retry. */
export const LimitWaiter = response('LimitWaiter', {
  waiter_type: Text,
  waiter_id: Text,
  name: nullable(Text),
  flow_run_id: nullable(Uuid),
  slots: Type.Integer(),
  since: Time,
  /** The expected time of the retry. */
  next_try: nullable(Time),
})
export type LimitWaiter = Static<typeof LimitWaiter>

/** The lists are truncated; the counts are totals, except for anonymous waiters, which are unknown. */
export const LimitHolders = response('LimitHolders', {
  holders: Type.Array(LimitHolder),
  holder_count: Type.Integer(),
  waiters: Type.Array(LimitWaiter),
  waiter_count: Type.Integer(),
})
export type LimitHolders = Static<typeof LimitHolders>

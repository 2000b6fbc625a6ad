import Type, { type Static } from 'typebox'
import { nullable, response, Text, Time, Uuid } from './primitives.ts'

/** A part of a limit in use: by whom, since when, and until when unless it is renewed. Slots that were taken without a word have no holder. */
export const LimitHolder = response('LimitHolder', {
  lease_id: Uuid,
  slots: Type.Integer(),
  holder_type: nullable(Text),
  holder_id: nullable(Text),
  /** Of the run that holds it, where it is known. */
  name: nullable(Text),
  /** The flow run to look at: the holder itself, or the one its task belongs to. */
  flow_run_id: nullable(Uuid),
  since: Time,
  expires: nullable(Time),
})
export type LimitHolder = Static<typeof LimitHolder>

/** Who found no slot free and will ask again. */
export const LimitWaiter = response('LimitWaiter', {
  waiter_type: Text,
  waiter_id: Text,
  name: nullable(Text),
  flow_run_id: nullable(Uuid),
  slots: Type.Integer(),
  since: Time,
  /** When it is expected to ask again. */
  next_try: nullable(Time),
})
export type LimitWaiter = Static<typeof LimitWaiter>

/** The lists are cut; the counts are not, but for waiters that did not say who they are: nobody knows of those. */
export const LimitHolders = response('LimitHolders', {
  holders: Type.Array(LimitHolder),
  holder_count: Type.Integer(),
  waiters: Type.Array(LimitWaiter),
  waiter_count: Type.Integer(),
})
export type LimitHolders = Static<typeof LimitHolders>

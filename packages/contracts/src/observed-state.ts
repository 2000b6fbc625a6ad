import Type, { type Static } from 'typebox'
import { defaulted, namedEnum, orNull, response, Text, Time } from './primitives.ts'

export const ObservedStateSort = namedEnum('ObservedStateSort', 'NAME_ASC', 'LAST_SEEN_DESC')
export type ObservedStateSort = Static<typeof ObservedStateSort>

/** A type and name of states, with the times of the first and the last transition that is kept. */
export const ObservedState = response('ObservedState', { state_type: Text, state_name: Text, first_seen: Time, last_seen: Time })
export type ObservedState = Static<typeof ObservedState>

/** `query` is the beginning of a name or type. */
export const ObservedStatesQuery = Type.Object({
  query: orNull(Type.String({ maxLength: 100, 'x-text': true })),
  order_by: defaulted(ObservedStateSort, 'LAST_SEEN_DESC'),
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 200 }), 200),
})
export type ObservedStatesQuery = Static<typeof ObservedStatesQuery>

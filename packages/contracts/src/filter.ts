import Type, { type Static } from 'typebox'
import { defaulted, namedEnum, orNull, Text, Time, Uuid } from './primitives.ts'

/**
 * The criteria of filters. A null criterion is ignored; `any_: []` matches nothing, while `not_any_: []` and `all_: []` are ignored.
 * `like_` is case-insensitive; `%` stands for any text.
 */

export const Operator = namedEnum('Operator', 'and_', 'or_')
export type Operator = Static<typeof Operator>

/** How the criteria of the filter are combined. */
export const operatorField = { operator: defaulted(Operator, 'and_') }

/** The maximum number of values of a criterion. Pages send a few thousand ids; criteria that compare value by value allow fewer. */
const manyItems = { 'x-items-max': 10_000 }
const fewItems = { 'x-items-max': 1000 }

export const ids = orNull(Type.Array(Uuid, manyItems))
export const texts = orNull(Type.Array(Text, manyItems))
export const fewTexts = orNull(Type.Array(Text, fewItems))
/** The longest search text. */
export const pattern = orNull(Type.String({ maxLength: 1000, 'x-text': true }))
export const flag = orNull(Type.Boolean())

/** Search words, any of which may match. `-word` must not match, `+word` must match, and quotes form a phrase. */
export const bySearch = { query: Type.String({ maxLength: 200, 'x-text': true }) }

export const byId = { any_: ids }
export const byIdOrNot = { any_: ids, not_any_: ids }
export const byText = { any_: texts }
export const byTextOrNot = { any_: texts, not_any_: texts }
export const byName = { any_: texts, like_: pattern }
export const byTime = { before_: orNull(Time), after_: orNull(Time) }
export const byTimeOrNull = { ...byTime, is_null_: flag }
export const byAllTags = { ...operatorField, all_: fewTexts, is_null_: flag }
export const byTags = { ...operatorField, all_: fewTexts, any_: texts, is_null_: flag }

import Type, { type Static } from 'typebox'
import { defaulted, namedEnum, orNull, Text, Time, Uuid } from './primitives.ts'

/**
 * The criteria that filters are made of. A criterion that is null says nothing; `any_: []` matches nothing, while
 * `not_any_: []` and `all_: []` say nothing. `like_` ignores case and knows `%` and `_`.
 */

export const Operator = namedEnum('Operator', 'and_', 'or_')
export type Operator = Static<typeof Operator>

/** How the criteria beside it are joined. */
export const operatorField = { operator: defaulted(Operator, 'and_') }

/** The values that one criterion may have. Pages ask with some thousand ids; what is compared value by value takes fewer. */
const manyItems = { 'x-items-max': 10_000 }
const fewItems = { 'x-items-max': 1000 }

export const ids = orNull(Type.Array(Uuid, manyItems))
export const texts = orNull(Type.Array(Text, manyItems))
export const fewTexts = orNull(Type.Array(Text, fewItems))
/** Longer ones no database searches for. */
export const pattern = orNull(Type.String({ maxLength: 10_000, 'x-text': true }))
export const flag = orNull(Type.Boolean())

/** Words to find, any of them; `-word` must not be there, `+word` must, and quotes hold words together. */
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

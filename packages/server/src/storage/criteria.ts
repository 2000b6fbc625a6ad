import { type RawBuilder, sql } from 'kysely'
import { composeJsonText } from '../lib/json.ts'
import { ExactNumber } from '../lib/json-exact.ts'
import { toMicros } from '../lib/time.ts'
import { type Dialect, type JsonPath, likePattern } from './dialect.ts'

/** A condition of a query. */
export type Condition = RawBuilder<boolean>

/** The criteria of one field, whichever of them it has; null says nothing. */
export interface Criteria {
  readonly operator?: 'and_' | 'or_'
  readonly any_?: readonly string[] | null
  readonly not_any_?: readonly string[] | null
  readonly all_?: readonly string[] | null
  readonly like_?: string | null
  readonly is_null_?: boolean | null
  readonly eq_?: boolean | null
  readonly ge_?: number | null
  readonly le_?: number | null
  readonly before_?: string | null
  readonly after_?: string | null
}

/** Joins conditions; none at all means every row, under either operator. */
export function combine(operator: 'and_' | 'or_' | undefined, conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return sql<boolean>`1 = 1`
  if (conditions.length === 1) return conditions[0] as Condition
  return sql<boolean>`(${sql.join(conditions, operator === 'or_' ? sql` or ` : sql` and `)})`
}

export const all = (conditions: readonly Condition[]): Condition => combine('and_', conditions)

/** What the criteria of a field ask of its column, joined by their own operator. An empty list of none or one. */
export function compare(
  dialect: Dialect,
  column: RawBuilder<unknown>,
  criteria: Criteria | null | undefined,
  kind: 'uuid' | 'text' = 'text',
): Condition[] {
  if (!criteria) return []
  const asked: Condition[] = []
  if (criteria.any_) asked.push(dialect.isIn(column, criteria.any_, kind))
  if (criteria.not_any_?.length) asked.push(sql<boolean>`not ${dialect.isIn(column, criteria.not_any_, kind)}`)
  if (criteria.like_ != null) asked.push(dialect.isLike(column, likePattern(criteria.like_)))
  if (criteria.ge_ != null) asked.push(sql<boolean>`${column} >= ${criteria.ge_}`)
  if (criteria.le_ != null) asked.push(sql<boolean>`${column} <= ${criteria.le_}`)
  if (criteria.before_ != null) asked.push(sql<boolean>`${column} <= ${toMicros(criteria.before_)}`)
  if (criteria.after_ != null) asked.push(sql<boolean>`${column} >= ${toMicros(criteria.after_)}`)
  if (criteria.eq_ != null) asked.push(sql<boolean>`${column} = ${criteria.eq_}`)
  if (criteria.is_null_ != null) asked.push(isNull(column, criteria.is_null_))
  return asked.length === 0 ? [] : [combine(criteria.operator, asked)]
}

export const isNull = (column: RawBuilder<unknown>, wanted: boolean): Condition =>
  wanted ? sql<boolean>`${column} is null` : sql<boolean>`${column} is not null`

/** A list of tags; here "null" means that there are none. */
export function compareTags(dialect: Dialect, column: RawBuilder<unknown>, criteria: Criteria | null | undefined): Condition[] {
  if (!criteria) return []
  const asked: Condition[] = []
  if (criteria.all_?.length) asked.push(dialect.containsAll(column, criteria.all_))
  if (criteria.any_) asked.push(criteria.any_.length === 0 ? sql<boolean>`1 = 0` : dialect.containsAny(column, criteria.any_))
  if (criteria.is_null_ != null) asked.push(criteria.is_null_ ? dialect.isEmptyList(column) : sql<boolean>`not ${dialect.isEmptyList(column)}`)
  return asked.length === 0 ? [] : [combine(criteria.operator, asked)]
}

export const exists = (from: RawBuilder<unknown>, conditions: readonly Condition[]): Condition =>
  sql<boolean>`exists (select 1 from ${from} where ${all(conditions)})`

/**
 * Stored JSON holds what is asked for: of an object the keys that are named, of a list every element, anything else as it is. One comparison
 * for each value, with the path bound as a value, for neither database says the same with its own containment: PostgreSQL's takes `[1, 2, 3]`
 * to hold `[2]`, and SQLite has none.
 */
export function jsonMatches(dialect: Dialect, column: RawBuilder<unknown>, wanted: unknown): Condition {
  const conditions: Condition[] = []
  const visit = (value: unknown, path: JsonPath): void => {
    if (Array.isArray(value)) {
      conditions.push(dialect.isJsonType(column, path, 'array'), dialect.isJsonType(column, [...path, value.length], null))
      for (const [index, each] of value.entries()) visit(each, [...path, index])
    } else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
      if (path.length > 0) conditions.push(dialect.isJsonType(column, path, 'object'))
      for (const [key, each] of Object.entries(value)) visit(each, [...path, key])
    } else {
      conditions.push(dialect.equalsJson(column, path, composeJsonText(value)))
    }
  }
  visit(wanted, [])
  return all(conditions)
}

/** How many values are asked for: each costs a look into the stored text. */
export function countValues(wanted: unknown): number {
  if (typeof wanted !== 'object' || wanted === null || wanted instanceof ExactNumber) return 1
  return Object.values(wanted).reduce((sum: number, each) => sum + countValues(each), 1)
}

import { type RawBuilder, sql } from 'kysely'
import { composeJsonText } from '../lib/json.ts'
import { ExactNumber } from '../lib/json-exact.ts'
import { toMicros } from '../lib/time.ts'
import { type Dialect, type JsonPath, likePattern } from './dialect.ts'

/** A condition of a query. */
export type Condition = RawBuilder<boolean>

/** The filter criteria of one field. Null is the same as absent. */
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

/** Joins conditions. An empty list matches every row under either operator. */
export function combine(operator: 'and_' | 'or_' | undefined, conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return sql<boolean>`1 = 1`
  if (conditions.length === 1) return conditions[0] as Condition
  return sql<boolean>`(${sql.join(conditions, operator === 'or_' ? sql` or ` : sql` and `)})`
}

export const all = (conditions: readonly Condition[]): Condition => combine('and_', conditions)

/** The conditions of a field's criteria, joined by their operator: a list of zero or one condition. */
export function compare(
  dialect: Dialect,
  column: RawBuilder<unknown>,
  criteria: Criteria | null | undefined,
  kind: 'uuid' | 'text' = 'text',
): Condition[] {
  if (!criteria) return []
  const conditions: Condition[] = []
  if (criteria.any_) conditions.push(dialect.isIn(column, criteria.any_, kind))
  if (criteria.not_any_?.length) conditions.push(sql<boolean>`not ${dialect.isIn(column, criteria.not_any_, kind)}`)
  if (criteria.like_ != null) conditions.push(dialect.isLike(column, likePattern(criteria.like_)))
  if (criteria.ge_ != null) conditions.push(sql<boolean>`${column} >= ${criteria.ge_}`)
  if (criteria.le_ != null) conditions.push(sql<boolean>`${column} <= ${criteria.le_}`)
  if (criteria.before_ != null) conditions.push(sql<boolean>`${column} <= ${toMicros(criteria.before_)}`)
  if (criteria.after_ != null) conditions.push(sql<boolean>`${column} >= ${toMicros(criteria.after_)}`)
  if (criteria.eq_ != null) conditions.push(sql<boolean>`${column} = ${criteria.eq_}`)
  if (criteria.is_null_ != null) conditions.push(isNull(column, criteria.is_null_))
  return conditions.length === 0 ? [] : [combine(criteria.operator, conditions)]
}

export const isNull = (column: RawBuilder<unknown>, wanted: boolean): Condition =>
  wanted ? sql<boolean>`${column} is null` : sql<boolean>`${column} is not null`

/** Compares a list of tags. `is_null_` matches an empty list. */
export function compareTags(dialect: Dialect, column: RawBuilder<unknown>, criteria: Criteria | null | undefined): Condition[] {
  if (!criteria) return []
  const conditions: Condition[] = []
  if (criteria.all_?.length) conditions.push(dialect.containsAll(column, criteria.all_))
  if (criteria.any_) conditions.push(criteria.any_.length === 0 ? sql<boolean>`1 = 0` : dialect.containsAny(column, criteria.any_))
  if (criteria.is_null_ != null) conditions.push(criteria.is_null_ ? dialect.isEmptyList(column) : sql<boolean>`not ${dialect.isEmptyList(column)}`)
  return conditions.length === 0 ? [] : [combine(criteria.operator, conditions)]
}

export const exists = (from: RawBuilder<unknown>, conditions: readonly Condition[]): Condition =>
  sql<boolean>`exists (select 1 from ${from} where ${all(conditions)})`

/**
 * Matches stored JSON: the named keys of an object, every element of a list, other values by equality. Compares value by value with a bound path,
 * because the databases differ in containment: PostgreSQL finds `[2]` in `[1, 2, 3]`, and SQLite has no such operator.
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

/** Counts the values of a JSON filter. Each one costs a lookup in the stored text. */
export function countValues(wanted: unknown): number {
  if (typeof wanted !== 'object' || wanted === null || wanted instanceof ExactNumber) return 1
  return Object.values(wanted).reduce((sum: number, each) => sum + countValues(each), 1)
}

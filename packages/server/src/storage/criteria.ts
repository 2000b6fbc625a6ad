import { type RawBuilder, sql } from 'kysely'
import { toMicros } from '../lib/time.ts'
import { type Dialect, likePattern } from './dialect.ts'

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

import type { LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { type RawBuilder, sql } from 'kysely'
import { parseTextSearch } from '../../lib/text-search.ts'
import { all, type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function logWhere(dialect: Dialect, filter: LogFilter): Condition {
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('log.level'), filter.level),
    ...compare(dialect, col('log.timestamp'), filter.timestamp),
    ...runCondition(dialect, col('log.flow_run_id'), filter.flow_run_id?.any_),
    ...combineIfAny([
      ...runCondition(dialect, col('log.task_run_id'), filter.task_run_id?.any_),
      ...compare(dialect, col('log.task_run_id'), { is_null_: filter.task_run_id?.is_null_ ?? null }),
    ]),
    ...combineIfAny(textConditions(filter.text?.query ?? '')),
  ])
}

const combineIfAny = (conditions: readonly Condition[]): Condition[] => (conditions.length === 0 ? [] : [all(conditions)])

/** A single id uses `=`, so that the index returns the logs in order. For a list of one id both databases sort all logs first. */
function runCondition(dialect: Dialect, column: RawBuilder<unknown>, ids: readonly string[] | null | undefined): Condition[] {
  if (!ids) return []
  return [ids.length === 1 ? sql<boolean>`${column} = ${ids[0]}` : dialect.isIn(column, ids, 'uuid')]
}

/** The terms of a search, in the message or the logger name. Case-insensitive as far as the database supports it. */
function textConditions(query: string): Condition[] {
  const { any, none, all: every } = parseTextSearch(query)
  return [
    ...(any.length === 0 ? [] : [combine('or_', any.map(contains))]),
    ...none.map((term) => sql<boolean>`not ${contains(term)}`),
    ...every.map(contains),
  ]
}

const contains = (term: string): Condition =>
  sql<boolean>`(lower(log.message || ' ' || log.name) like lower(${`%${term.replaceAll(/[\\%_]/g, '\\$&')}%`}) escape '\\')`

export const logOrder: Readonly<Record<LogSort, RawBuilder<unknown>>> = {
  TIMESTAMP_ASC: sql`log.timestamp asc, log.id asc`,
  TIMESTAMP_DESC: sql`log.timestamp desc, log.id desc`,
}

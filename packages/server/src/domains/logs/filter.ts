import type { LogFilter, LogSort } from '@millrace/contracts/log.ts'
import { type RawBuilder, sql } from 'kysely'
import { parseTextSearch } from '../../lib/text-search.ts'
import { toMicros } from '../../lib/time.ts'
import { all, type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

type RunColumn = 'flow_run_id' | 'task_run_id'

/** The column of the run whose logs a filter asks for; undefined if it may match logs of several runs. Its index has the logs in their order. */
export const runColumnOf = (filter: LogFilter): RunColumn | undefined =>
  filter.operator === 'or_' ? undefined : (['task_run_id', 'flow_run_id'] as const).find((name) => filter[name]?.any_?.length === 1)

export function logWhere(dialect: Dialect, filter: LogFilter): Condition {
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('log.level'), filter.level),
    // Those of one run have their times in the condition of the run.
    ...(runColumnOf(filter) ? [] : compare(dialect, col('log.timestamp'), filter.timestamp)),
    ...runCondition(dialect, filter, 'flow_run_id'),
    ...combineIfAny([
      ...runCondition(dialect, filter, 'task_run_id'),
      ...compare(dialect, col('log.task_run_id'), { is_null_: filter.task_run_id?.is_null_ ?? null }),
    ]),
    ...combineIfAny(textConditions(filter.text?.query ?? '')),
  ])
}

const combineIfAny = (conditions: readonly Condition[]): Condition[] => (conditions.length === 0 ? [] : [all(conditions)])

function runCondition(dialect: Dialect, filter: LogFilter, name: RunColumn): Condition[] {
  const ids = filter[name]?.any_
  if (!ids) return []
  const column = col(`log.${name}`)
  // With `or_` and one id, `=` lets the index return the logs in order.
  if (name !== runColumnOf(filter)) return [ids.length === 1 ? sql<boolean>`${column} = ${ids[0]}` : dialect.isIn(column, ids, 'uuid')]
  const micros = (time: string | null | undefined) => (time == null ? undefined : toMicros(time))
  const { after_, before_ } = filter.timestamp ?? {}
  return [dialect.isIdBetween([column, col('log.timestamp')], ids[0] as string, micros(after_), micros(before_))]
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

/** With the column of a run first, as its index has it. All logs have the same value there. */
export function logOrder(sort: LogSort, run?: RunColumn): RawBuilder<unknown> {
  const direction = sql.raw(sort === 'TIMESTAMP_ASC' ? 'asc' : 'desc')
  return sql.join([...(run ? [run] : []), 'timestamp', 'id'].map((name) => sql`${col(`log.${name}`)} ${direction}`))
}

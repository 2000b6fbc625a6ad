import type { LogFilter } from '@millrace/contracts/log.ts'
import { parseTextSearch } from '../../lib/text-search.ts'
import { toMicros } from '../../lib/time.ts'
import { matchesEverything } from '../empty-criteria.ts'
import type { LogRow } from './store.ts'

/** Matches a filter against a log in memory, like `filter.ts` in SQL. */
export function logMatcher(filter: LogFilter): (log: LogRow) => boolean {
  const checks = [...levelChecks(filter.level), ...timeChecks(filter.timestamp), ...runChecks(filter), ...textChecks(filter.text?.query ?? '')]
  if (checks.length === 0 || matchesEverything(filter)) return () => true
  return filter.operator === 'or_' ? (log) => checks.some((check) => check(log)) : (log) => checks.every((check) => check(log))
}

type Check = (log: LogRow) => boolean

const combineChecks = (checks: readonly Check[]): Check[] => (checks.length === 0 ? [] : [(log) => checks.every((check) => check(log))])

function levelChecks(level: LogFilter['level']): Check[] {
  const { ge_, le_ } = level ?? {}
  return combineChecks([...(ge_ == null ? [] : [(log: LogRow) => log.level >= ge_]), ...(le_ == null ? [] : [(log: LogRow) => log.level <= le_])])
}

function timeChecks(timestamp: LogFilter['timestamp']): Check[] {
  const [before, after] = [timestamp?.before_, timestamp?.after_].map((time) => (time == null ? undefined : toMicros(time)))
  return combineChecks([
    ...(before === undefined ? [] : [(log: LogRow) => log.timestamp <= before]),
    ...(after === undefined ? [] : [(log: LogRow) => log.timestamp >= after]),
  ])
}

function runChecks({ flow_run_id, task_run_id }: LogFilter): Check[] {
  const among = (ids: readonly string[] | null | undefined, of: (log: LogRow) => string | null): Check[] => {
    if (!ids) return []
    const idSet = new Set(ids)
    return [(log) => idSet.has(of(log) ?? '')]
  }
  const isNull = task_run_id?.is_null_
  return [
    ...among(flow_run_id?.any_, (log) => log.flow_run_id),
    ...combineChecks([
      ...among(task_run_id?.any_, (log) => log.task_run_id),
      ...(isNull == null ? [] : [(log: LogRow) => (log.task_run_id === null) === isNull]),
    ]),
  ]
}

function textChecks(query: string): Check[] {
  const search = parseTextSearch(query)
  const [any, all, none] = [search.any, search.all, search.none].map((terms) => terms.map((term) => term.toLowerCase())) as [
    string[],
    string[],
    string[],
  ]
  if (any.length + all.length + none.length === 0) return []
  return [
    (log) => {
      const text = `${log.message} ${log.name}`.toLowerCase()
      const has = (term: string) => text.includes(term)
      return (any.length === 0 || any.some(has)) && all.every(has) && !none.some(has)
    },
  ]
}

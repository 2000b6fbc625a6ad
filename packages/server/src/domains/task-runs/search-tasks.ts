import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../storage/database.ts'
import { likePattern } from '../../storage/dialect.ts'
import { type RelatedFilters, taskRunsWhere } from '../relations.ts'
import { taskRunOrder } from './filter.ts'

/**
 * No index finds a part of a name, and one would slow down the creation of every task run. A search for it reads the first task runs, in the
 * requested order, that match all other filters, up to this number: so its cost does not grow with the table.
 */
export const searchedTasksMax = 20_000

/** The tables and conditions of a query for task runs, as `task_run`. A search provides the columns `id`, `name` and `state_type` only. */
export function matchingTasks(
  db: Db,
  filters: RelatedFilters,
  order: RawBuilder<unknown> = taskRunOrder.EXPECTED_START_TIME_DESC,
): RawBuilder<unknown> {
  const search = splitSearch(filters)
  if (!search) return sql`task_run where ${taskRunsWhere(db.dialect, filters)}`
  const searched = sql`select task_run.id, task_run.name, task_run.state_type from task_run
    where ${taskRunsWhere(db.dialect, search.otherFilters)} order by ${order} limit ${sql.lit(searchedTasksMax)}`
  return sql`(${searched}) task_run where ${db.dialect.isLike(sql`task_run.name`, likePattern(search.pattern))}`
}

/** Undefined without a search, and for the task runs of given flow runs, which are few. */
export function splitSearch(filters: RelatedFilters): { readonly otherFilters: RelatedFilters; readonly pattern: string } | undefined {
  const filter = filters.task_runs
  if (!filter || filter.operator === 'or_' || hasFlowRuns(filter, filters)) return undefined
  const { name, ...others } = filter
  if (name?.any_ != null || name?.like_ == null || name.like_ === '') return undefined
  return { otherFilters: { ...filters, task_runs: others }, pattern: name.like_ }
}

const hasFlowRuns = (filter: TaskRunFilter, { flow_runs }: RelatedFilters): boolean =>
  filter.flow_run_id?.any_ != null || (flow_runs?.operator !== 'or_' && flow_runs?.id?.any_ != null)

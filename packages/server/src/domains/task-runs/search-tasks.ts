import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { type RelatedFilters, taskRunsWhere } from '../relations.ts'
import { taskRunOrder, taskRunWhere } from './filter.ts'

/**
 * No index finds a part of a name, nor a tag on SQLite, and one would slow down the creation of every task run. A search for them reads the first task runs, in the
 * requested order, that match all other filters, up to this number: so its cost does not grow with the table.
 */
export const searchedTasksMax = 20_000

/** The tables and conditions of a list of task runs, as `task_run`. A search provides few columns. */
export function matchingTasks(db: Db, filters: RelatedFilters, order: RawBuilder<unknown>): RawBuilder<unknown> {
  const search = splitSearch(db.dialect, filters)
  if (!search) return sql`task_run where ${taskRunsWhere(db.dialect, filters)}`
  const searched = sql`select task_run.id, task_run.name, task_run.tags, task_run.state_type from task_run
    where ${taskRunsWhere(db.dialect, search.otherFilters)} order by ${order} limit ${sql.lit(searchedTasksMax)}`
  return sql`(${searched}) task_run where ${taskRunWhere(db.dialect, { operator: 'and_', ...search.searchFilter })}`
}

/** The same for a count. */
export const countedTasks = (db: Db, filters: RelatedFilters): RawBuilder<unknown> =>
  splitSearch(db.dialect, filters)
    ? matchingTasks(db, filters, taskRunOrder.EXPECTED_START_TIME_DESC)
    : sql`task_run where ${taskRunsWhere(db.dialect, filters, 'flow runs')}`

/** Undefined without a search, and for the task runs of given flow runs, which are few. */
export function splitSearch(
  dialect: Dialect,
  filters: RelatedFilters,
): { readonly otherFilters: RelatedFilters; readonly searchFilter: Pick<TaskRunFilter, 'name' | 'tags'> } | undefined {
  const filter = filters.task_runs
  if (!filter || filter.operator === 'or_' || hasFlowRuns(filter, filters)) return undefined
  const { name, tags, ...others } = filter
  const isNameSearch = name?.any_ == null && name?.like_ != null && name.like_ !== ''
  const isTagSearch = !dialect.indexesTags && tags?.all_ != null
  if (!isNameSearch && !isTagSearch) return undefined
  return {
    otherFilters: { ...filters, task_runs: { ...others, ...(isNameSearch ? {} : { name }), ...(isTagSearch ? {} : { tags }) } },
    searchFilter: { ...(isNameSearch ? { name } : {}), ...(isTagSearch ? { tags } : {}) },
  }
}

const hasFlowRuns = (filter: TaskRunFilter, { flow_runs }: RelatedFilters): boolean =>
  filter.flow_run_id?.any_ != null || (flow_runs?.operator !== 'or_' && flow_runs?.id?.any_ != null)

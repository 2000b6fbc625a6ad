import { isTerminal } from '@millrace/contracts/state.ts'
import type { TaskRunSort } from '@millrace/contracts/task-run.ts'
import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { type DistinctState, distinctStatesMax, matchesStateFilter, readDistinctStates } from '../distinct-states.ts'
import { type RelatedFilters, taskRunsWhere } from '../relations.ts'
import type { StateCondition } from '../run-counts.ts'
import { type DurationSort, durationOrder, taskRunOrder, taskRunWhere } from './filter.ts'

/**
 * No index finds a part of a name, nor a tag on SQLite, and one would slow down the creation of every task run. A search for them reads the first task runs, in the
 * requested order, that match all other filters, up to this number: so its cost does not grow with the table.
 */
export const searchedTasksMax = 20_000

/** The columns of `durationOrder`. */
const durationColumns = sql`task_run.id, task_run.state_type, task_run.state_timestamp, task_run.total_run_time, task_run.expected_start_time`

/** The tables and conditions of a list of task runs, as `task_run`. A search provides few columns. */
export function matchingTasks(db: Db, filters: RelatedFilters, order: RawBuilder<unknown>): RawBuilder<unknown> {
  const search = splitSearch(db.dialect, filters)
  if (!search) return sql`task_run where ${taskRunsWhere(db.dialect, filters)}`
  const searched = sql`select ${durationColumns}, task_run.name, task_run.tags from task_run
    where ${taskRunsWhere(db.dialect, search.otherFilters)} order by ${order} limit ${sql.lit(searchedTasksMax)}`
  return sql`(${searched}) task_run where ${taskRunWhere(db.dialect, { operator: 'and_', ...search.searchFilter })}`
}

/**
 * The ids of a page of task runs by duration. No index has it, because it would be written with each change of a task run: the newest task runs that match the filters
 * are sorted, all of them if their flow runs are given.
 */
export async function durationPage(
  db: Db,
  filters: RelatedFilters,
  { sort, limit, offset, now }: { readonly sort: DurationSort; readonly limit: number; readonly offset: number; readonly now: Micros },
): Promise<RawBuilder<unknown>> {
  const newestFirst = taskRunOrder.EXPECTED_START_TIME_DESC
  const isLimited = splitSearch(db.dialect, filters) !== undefined || hasFlowRuns(filters.task_runs ?? {}, filters)
  const newest = { sort: 'EXPECTED_START_TIME_DESC', limit: searchedTasksMax, offset: 0 } as const
  const limited = sql`order by ${newestFirst} limit ${sql.lit(searchedTasksMax)}`
  const found =
    (await stateRangesQuery(db, filters, newest, durationColumns)) ??
    sql`select ${durationColumns} from ${matchingTasks(db, filters, newestFirst)} ${isLimited ? sql`` : limited}`
  return sql`select found.id from (${found}) found order by ${durationOrder(sort, now, 'found')} limit ${sql.lit(limit)} offset ${offset}`
}

/** The same for a count. */
export const countedTasks = (db: Db, filters: RelatedFilters): RawBuilder<unknown> =>
  splitSearch(db.dialect, filters)
    ? matchingTasks(db, filters, taskRunOrder.EXPECTED_START_TIME_DESC)
    : sql`task_run where ${taskRunsWhere(db.dialect, filters, 'flow runs')}`

/** The condition on states of filters that have no other criteria. */
export function onlyStates(dialect: Dialect, { task_runs, ...others }: RelatedFilters): StateCondition | undefined {
  const { flows, flow_runs, deployments, work_pools, work_pool_queues, work_queues } = others
  if ([flows, flow_runs, deployments, work_pools, work_pool_queues, work_queues].some(Boolean)) return undefined
  if (!task_runs) return sql<boolean>`1 = 1`
  const { operator: _operator, state: _state, ...criteria } = task_runs
  return Object.values(criteria).every((each) => each == null) ? taskRunWhere(dialect, task_runs) : undefined
}

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

/**
 * Task runs that have ended in another way than most. The text must equal that of the index `task_run_by_state_end` on SQLite, which else does not use it.
 */
const endedOtherwise = sql<boolean>`(task_run.state_type = 'FAILED' or task_run.state_type = 'CRASHED' or task_run.state_type = 'CANCELLED'
  or (task_run.state_type = 'COMPLETED' and task_run.state_name <> 'Completed'))`

/**
 * The ids of a page of task runs in some states by their ends, as SQL: one index range for each state. Completed task runs are found by the ends of all, because most are
 * completed, and unfinished ones, which are few and have no end, are sorted. By the index of states SQLite sorts all of them: 160,000 failed ones of two million take 270 ms.
 * Undefined for other filters.
 */
export async function stateEndsQuery(
  db: Db,
  filters: RelatedFilters,
  { sort, limit, offset }: { readonly sort: TaskRunSort; readonly limit: number; readonly offset: number },
): Promise<RawBuilder<unknown> | undefined> {
  const state = filters.task_runs?.state
  if (sort !== 'END_TIME_DESC' || !state || !onlyStates(db.dialect, filters)) return undefined
  const distinct = await readDistinctStates(db, 'task_run')
  if (distinct.length > distinctStatesMax) return undefined
  const states = distinct.filter((each) => matchesStateFilter(state, each))
  if (states.length === 0) return sql`select task_run.id from task_run limit 0`
  const branch = ({ type, name }: DistinctState) => {
    const isCompleted = type === 'COMPLETED' && name === 'Completed'
    const index = !isTerminal(type) ? 'task_run_by_state' : isCompleted ? 'task_run_by_end' : 'task_run_by_state_end'
    return sql`select * from (select task_run.id, task_run.end_time from task_run ${db.dialect.indexHint(index)}
      where task_run.state_type = ${type} and task_run.state_name = ${name} ${index === 'task_run_by_state_end' ? sql`and ${endedOtherwise}` : sql``}
      order by ${taskRunOrder.END_TIME_DESC} limit ${sql.lit(offset + limit)}) branch`
  }
  return sql`select id from (${sql.join(states.map(branch), sql` union all `)}) found
    order by end_time desc nulls last, id desc limit ${sql.lit(limit)} offset ${offset}`
}

const hasFlowRuns = (filter: TaskRunFilter, { flow_runs }: RelatedFilters): boolean =>
  (filter.flow_run_id?.operator !== 'or_' && filter.flow_run_id?.any_ != null) || (flow_runs?.operator !== 'or_' && flow_runs?.id?.any_ != null)

/**
 * The ids of a page of task runs in some states, as SQL: one range of the index of states for each state. In the order of all task runs, SQLite
 * reads two million of them to find that none is running. Undefined if the filter has no states or another index is better.
 */
export async function stateRangesQuery(
  db: Db,
  filters: RelatedFilters,
  { sort, limit, offset }: { readonly sort: TaskRunSort; readonly limit: number; readonly offset: number },
  columns = sql`task_run.id, task_run.expected_start_time`,
): Promise<RawBuilder<unknown> | undefined> {
  const filter = filters.task_runs
  const direction = sort === 'EXPECTED_START_TIME_DESC' ? sql`desc` : sort === 'EXPECTED_START_TIME_ASC' ? sql`asc` : undefined
  if (!direction || !filter?.state || filter.operator === 'or_' || hasFlowRuns(filter, filters)) return undefined
  const { state, ...others } = filter
  const distinct = await readDistinctStates(db, 'task_run')
  const states = distinct.filter((each) => matchesStateFilter(state, each))
  if (distinct.length > distinctStatesMax || states.length === distinct.length) return undefined
  if (states.length === 0) return sql`select ${columns} from task_run limit 0`
  const rest = taskRunsWhere(db.dialect, { ...filters, task_runs: others })
  const branch = ({ type, name }: DistinctState) =>
    sql`select * from (select ${columns} from task_run ${db.dialect.indexHint('task_run_by_state')}
      where task_run.state_type = ${type} and task_run.state_name = ${name} and ${rest}
      order by task_run.expected_start_time ${direction}, task_run.id ${direction} limit ${sql.lit(offset + limit)}) branch`
  return sql`select * from (${sql.join(states.map(branch), sql` union all `)}) found
    order by expected_start_time ${direction}, id ${direction} limit ${sql.lit(limit)} offset ${offset}`
}

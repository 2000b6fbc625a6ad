import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { all } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { type AccessPath, countRanges, type IndexOrder, type IndexRange, listAccessPaths } from './access-paths.ts'
import { flowRunOrder, flowRunWhere } from './filter.ts'
import { type FlowRunWithPool, poolColumns, poolJoin } from './store.ts'

export interface ListOptions {
  readonly sort: FlowRunSort
  readonly limit: number
  readonly offset: number
  /** Up to how many runs of a filter are few; a test asks for none, so that ways of many are walked by runs that are few. */
  readonly smallResultMax?: number
}

const late = lazyColumns('flow_run', ['parameters', 'context', 'job_variables', 'state_data', 'state_message'])

/** Rows that the branches of one query may read together. */
const branchRowsMax = 60_000
/** So few runs are read and sorted in no time, whichever order is asked for. */
const smallResultDefaultMax = 5000

/** The orders that ranges may have, and which way they are walked. */
const orderedSorts: Partial<Record<FlowRunSort, { readonly order: IndexOrder; readonly way: RawBuilder<unknown> }>> = {
  START_TIME_ASC: { order: 'started', way: sql`asc` },
  START_TIME_DESC: { order: 'started', way: sql`desc` },
  EXPECTED_START_TIME_ASC: { order: 'expected', way: sql`asc` },
  EXPECTED_START_TIME_DESC: { order: 'expected', way: sql`desc` },
}

/**
 * A page of runs. Its cost must not grow with the table, so that the ids are found first, in one range of an index for each value that
 * a filter asks for ("failed or crashed", "of these three deployments"), each range giving no more than the page needs; the rows
 * themselves are read for the page alone, by a `cross join`, for otherwise SQLite may walk all runs in their order and look for each in the page. A filter that no such range serves walks the runs in the order asked for.
 */
export async function listFlowRuns(db: Db, filters: RelatedFilters, options: ListOptions): Promise<FlowRunWithPool[]> {
  const order = flowRunOrder[options.sort]
  const ids = await pageIdsQuery(db, filters, options)
  const page = sql<FlowRunWithPool>`select ${selectLazyColumns(late, db)}, ${sql.raw(poolColumns)} from (${ids}) page cross join flow_run ${sql.raw(poolJoin)} where flow_run.id = page.id order by ${order}`
  return late.fetch(db, (await page.execute(db.kysely)).rows)
}

/** The ids of a page, as SQL. */
export async function pageIdsQuery(db: Db, filters: RelatedFilters, options: ListOptions): Promise<RawBuilder<unknown>> {
  const search = splitParameterSearch(filters)
  return search ? parameterSearchIdsQuery(db, search, options) : accessPathIdsQuery(db, filters, options)
}

/** The same, with a filter by parameters taken as any other. */
export async function accessPathIdsQuery(db: Db, filters: RelatedFilters, options: ListOptions): Promise<RawBuilder<unknown>> {
  const { limit, offset, sort } = options
  const walk = orderedSorts[sort]
  const found = await choosePath(db, await listAccessPaths(db, filters), options)
  if (!found)
    return sql`select flow_run.id from flow_run ${sortIndexHint(db.dialect, filters, sort)} where ${flowRunsWhere(db.dialect, filters)} order by ${flowRunOrder[sort]} limit ${limit} offset ${offset}`

  const ranges = found.path.ranges(walk?.order ?? 'expected')
  if (ranges.length === 0) return sql`select flow_run.id from flow_run where 1 = 0`
  if (found.isSmall || !walk) {
    const few = sql.join(
      ranges.map(({ from, id, where, remaining: rest }) => sql`select ${id} as id from ${from} where ${all([where, ...rest])}`),
      sql` union all `,
    )
    return sql`select flow_run.id from (${few}) few cross join flow_run where flow_run.id = few.id order by ${flowRunOrder[sort]} limit ${limit} offset ${offset}`
  }
  const { way } = walk
  const branch = ({ from, id, key, where, remaining: rest }: IndexRange) =>
    sql`select * from (select ${id} as id, ${key} as key from ${from} where ${all([where, ...rest])} order by ${key} ${way}, ${id} ${way} limit ${offset + limit}) branch`
  return sql`select id from (${sql.join(ranges.map(branch), sql` union all `)}) found order by key ${way}, id ${way} limit ${limit} offset ${offset}`
}

async function parameterSearchIdsQuery(
  db: Db,
  { otherFilters: within, parameterFilter: sought }: ParameterSearch,
  { sort, limit, offset }: ListOptions,
): Promise<RawBuilder<unknown>> {
  const searched = await accessPathIdsQuery(db, within, { sort, limit: searchedRunsMax, offset: 0 })
  return sql`select flow_run.id from (${matchingIdsQuery(db.dialect, searched, sought)}) matching cross join flow_run
    where flow_run.id = matching.id order by ${flowRunOrder[sort]} limit ${limit} offset ${offset}`
}

interface ChosenPath {
  readonly path: AccessPath
  readonly isSmall: boolean
}

/** The way with the fewest runs, if they are few; else the first whose ranges have the order that is asked for. */
async function choosePath(
  db: Db,
  paths: readonly AccessPath[],
  { sort, limit, offset, smallResultMax: few = smallResultDefaultMax }: ListOptions,
): Promise<ChosenPath | undefined> {
  const order = orderedSorts[sort]?.order
  const ordered = paths.find((path) => order !== undefined && path.hasOrder(order) && path.ranges(order).length * (offset + limit) <= branchRowsMax)
  if (ordered && paths.length === 1) return { path: ordered, isSmall: false }
  const sizes = await countRanges(db, paths, few)
  const least = Math.min(...sizes)
  const fewest = paths[sizes.indexOf(least)]
  if (fewest && least < few) return { path: fewest, isSmall: true }
  return ordered && { path: ordered, isSmall: false }
}

/** The indexes that have an order, and the times and names that lists are mostly filtered by. */
const sortIndexes: Partial<Record<FlowRunSort, string>> = {
  START_TIME_ASC: 'flow_run_by_start',
  START_TIME_DESC: 'flow_run_by_start',
  EXPECTED_START_TIME_ASC: 'flow_run_by_expected_start',
  EXPECTED_START_TIME_DESC: 'flow_run_by_expected_start',
  NAME_ASC: 'flow_run_by_name',
  NAME_DESC: 'flow_run_by_name',
  END_TIME_DESC: 'flow_run_by_end',
}

/** What runs are asked for of which there are many, as a rule; anything else the database may know a shorter way to. */
const broadCriteria = new Set<keyof FlowRunFilter>(['operator', 'state', 'tags', 'start_time', 'expected_start_time'])

/**
 * The index of an order that all runs are walked in, where nothing but that order helps: SQLite sorts a million runs by name, in more than a
 * second, where each has to be due by now.
 */
export function sortIndexHint(dialect: Dialect, { flow_runs, ...related }: RelatedFilters, sort: FlowRunSort): RawBuilder<unknown> {
  const index = sortIndexes[sort]
  const isCommon = ([name, criteria]: [string, unknown]): boolean =>
    criteria == null ||
    broadCriteria.has(name as keyof FlowRunFilter) ||
    (name === 'name' && isPartialName(flow_runs?.name)) ||
    (name === 'parent_task_run_id' && isRootOnly(flow_runs))
  const asked = Object.entries(flow_runs ?? {})
  const isWalked = index && !related.task_runs && !related.deployments && flow_runs?.operator !== 'or_' && asked.every(isCommon)
  return isWalked ? dialect.indexHint(index) : sql``
}

/** A part of a name can be anywhere; whole names are found by their index. */
const isPartialName = (name: FlowRunFilter['name']): boolean => name?.any_ == null

const isRootOnly = (filter: RelatedFilters['flow_runs']): boolean => filter?.parent_task_run_id?.is_null_ === true

/**
 * No index leads to a run by its parameters, and one would cost every run that is created. So that a search by parameters costs the same
 * whatever the table holds, it looks into the first so many runs, in the order asked for, that all other filters leave: measured, a search that
 * finds nothing reads them in a tenth of a second. Whoever looks for older ones narrows by time, deployment or state.
 */
export const searchedRunsMax = 20_000

export interface ParameterSearch {
  /** All filters but the one that is searched by. */
  readonly otherFilters: RelatedFilters
  readonly parameterFilter: Pick<FlowRunFilter, 'parameters'>
}

/** The two halves of a filter by parameters; undefined when there is none, or when it is one of several that may hold. */
export function splitParameterSearch(filters: RelatedFilters): ParameterSearch | undefined {
  const asked = filters.flow_runs
  if (!asked?.parameters?.matches_ || asked.operator === 'or_') return undefined
  const { parameters, ...others } = asked
  return { otherFilters: { ...filters, flow_runs: others }, parameterFilter: { parameters } }
}

/** The ids of the searched runs that match. Each run is asked for by itself: PostgreSQL would rather read all runs and join them. */
export const matchingIdsQuery = (dialect: Dialect, searched: RawBuilder<unknown>, sought: ParameterSearch['parameterFilter']): RawBuilder<unknown> =>
  sql`select searched.id from (${searched}) searched
    where (select 1 from flow_run where flow_run.id = searched.id and ${flowRunWhere(dialect, { operator: 'and_', ...sought })}) = 1`

import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { type FlowRunRow, poolColumns, poolJoin } from '../../runs/flow-run-rows.ts'
import { all } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import { findRunsByName } from '../../storage/run-names.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { isEmptyFilter, listAccessPaths } from './access-paths.ts'
import { flowRunOrder } from './filter.ts'
import { type AccessPath, countRanges, type IndexOrder, type IndexRange } from './index-ranges.ts'
import { givenRunsQuery, matchingIdsQuery, nameSearchQuery, plannerOf, type RunSearch, searchRunsMax, splitSearch } from './search-runs.ts'
import { type ListedFlowRun, unlistedColumns } from './store.ts'

export interface ListOptions {
  readonly sort: FlowRunSort
  readonly limit: number
  readonly offset: number
  /** A path with fewer runs is read completely and sorted. Tests set 0 to use the ordered ranges with few runs. */
  readonly smallResultMax?: number
}

const lazy = lazyColumns('flow_run', ['parameters', 'context', 'job_variables', 'state_data', 'state_message'], unlistedColumns)

/** Maximum number of rows that all ranges of one query may read. */
const rangeRowsMax = 60_000
/** Sorting this many runs takes little time in any order. */
const smallResultDefaultMax = 5000

/** The sorts that index ranges can have. */
const orderedSorts: Partial<Record<FlowRunSort, { readonly order: IndexOrder; readonly direction: RawBuilder<unknown> }>> = {
  START_TIME_ASC: { order: 'started', direction: sql`asc` },
  START_TIME_DESC: { order: 'started', direction: sql`desc` },
  EXPECTED_START_TIME_ASC: { order: 'expected', direction: sql`asc` },
  EXPECTED_START_TIME_DESC: { order: 'expected', direction: sql`desc` },
}

/**
 * A page of runs. Its cost must not grow with the table. So the ids are found first, in one index range for each value of a filter ("failed or
 * crashed", "of these three deployments"), and each range returns no more ids than the page needs. Only the rows of the page are read, by a
 * `cross join`: otherwise SQLite may scan all runs in their order and look up each one in the page. Without a suitable range the runs are
 * scanned in the requested order.
 */
export async function listFlowRuns(db: Db, filters: RelatedFilters, options: ListOptions): Promise<ListedFlowRun[]> {
  const order = flowRunOrder[options.sort]
  const ids = await pageIdsQuery(db, filters, options)
  const page = sql<ListedFlowRun>`select ${selectLazyColumns(lazy, db)}, ${sql.raw(poolColumns)} from (${ids}) page cross join flow_run ${sql.raw(poolJoin)} where flow_run.id = page.id order by ${order}`
  return lazy.fetch(db, (await page.execute(plannerOf(db, filters))).rows)
}

/** A run of a page by its id and the version of its row. */
export interface RunVersion {
  readonly id: string
  readonly version: string
}

/** The runs of a page without their columns. Only for a database with row versions. */
export async function listRunVersions(db: Db, filters: RelatedFilters, options: ListOptions): Promise<RunVersion[]> {
  const query = sql<RunVersion>`${await pageIdsQuery(db, filters, options, ['version'])}`
  return (await query.execute(plannerOf(db, filters))).rows
}

/** Runs by id, in any order, with their versions. Only for a database with row versions. */
export async function readListedRuns(db: Db, ids: readonly string[]): Promise<(ListedFlowRun & RunVersion)[]> {
  const query = sql<
    ListedFlowRun & RunVersion
  >`select ${selectLazyColumns(lazy, db)}, ${sql.raw(poolColumns)}, ${versionColumn(db.dialect)} from flow_run ${sql.raw(poolJoin)} where ${db.dialect.isIn(sql`flow_run.id`, ids, 'uuid')}`
  return lazy.fetch(db, (await query.execute(db.kysely)).rows)
}

const versionColumn = (dialect: Dialect): RawBuilder<unknown> => sql`${sql.raw(dialect.rowVersion('flow_run') as string)} as version`

/** A column of a run, or the version of its row. */
type RunColumn = keyof FlowRunRow | 'version'

const idAnd = (dialect: Dialect, others: readonly RunColumn[]): RawBuilder<unknown> =>
  sql.join([sql`flow_run.id`, ...others.map((name) => (name === 'version' ? versionColumn(dialect) : sql.ref(`flow_run.${name}`)))])

/** The ids of a page as SQL, in order, optionally with other columns. */
export async function pageIdsQuery(
  db: Db,
  filters: RelatedFilters,
  options: ListOptions,
  others: readonly RunColumn[] = [],
): Promise<RawBuilder<unknown>> {
  const search = await splitSearch(db, filters)
  if (!search) return accessPathIdsQuery(db, filters, options, others)
  const { sort } = options
  const columns = idAnd(db.dialect, others)
  const firstMatches = sql`${await searchIdsQuery(db, search, sort)} limit ${sql.lit(options.offset + options.limit)}`
  return sql`select ${columns} from (${firstMatches}) matching cross join flow_run
    where flow_run.id = matching.id order by ${flowRunOrder[sort]} ${pageBounds(options)}`
}

/** The same, for filters that indexes serve. */
export async function accessPathIdsQuery(
  db: Db,
  filters: RelatedFilters,
  options: ListOptions,
  others: readonly RunColumn[] = [],
): Promise<RawBuilder<unknown>> {
  const { sort } = options
  const orderedSort = orderedSorts[sort]
  const chosen = await choosePath(db, await listAccessPaths(db, filters, sort), options)
  const columns = idAnd(db.dialect, others)
  if (!chosen)
    return sql`select ${columns} from flow_run ${sortIndexHint(db.dialect, filters, sort)} where ${flowRunsWhere(db.dialect, filters)} order by ${flowRunOrder[sort]} ${pageBounds(options)}`

  // The ranges that were counted, if they are small.
  const ranges = chosen.path.ranges(chosen.isSmall ? 'expected' : (orderedSort?.order ?? 'expected'))
  if (ranges.length === 0) return sql`select ${columns} from flow_run where 1 = 0`
  if (chosen.isSmall || !orderedSort) {
    const matching = sql.join(
      ranges.map(({ from, id, where, remaining }) => sql`select ${id} as id from ${from} where ${all([where, ...remaining])}`),
      sql` union all `,
    )
    return sql`select ${columns} from (${matching}) matching cross join flow_run where flow_run.id = matching.id order by ${flowRunOrder[sort]} ${pageBounds(options)}`
  }
  if (ranges.every(({ isOfRuns }) => isOfRuns)) return mergedRanges(db.dialect, ranges, orderedSort.direction, options, others)
  const ids = mergedRanges(db.dialect, ranges, orderedSort.direction, options, [])
  if (others.length === 0) return ids
  return sql`select ${columns} from (${ids}) page cross join flow_run where flow_run.id = page.id order by ${flowRunOrder[sort]}`
}

/** A page of ids and other columns from several sorted ranges. No range has to return more rows than the page ends with. */
function mergedRanges(
  dialect: Dialect,
  ranges: readonly IndexRange[],
  direction: RawBuilder<unknown>,
  options: ListOptions,
  others: readonly RunColumn[],
): RawBuilder<unknown> {
  const branchBounds = pageBounds({ limit: options.offset + options.limit, offset: 0 })
  const names = sql.join(['id', ...others].map((name) => sql.ref(name)))
  const branch = ({ from, id, key, where, remaining }: IndexRange) => {
    const columns = others.length === 0 ? sql`${id} as id` : idAnd(dialect, others)
    return sql`select * from (select ${columns}, ${key} as key from ${from} where ${all([where, ...remaining])} order by ${key} ${direction}, ${id} ${direction} ${branchBounds}) branch`
  }
  return sql`select ${names} from (${sql.join(ranges.map(branch), sql` union all `)}) found order by key ${direction}, id ${direction} ${pageBounds(options)}`
}

/**
 * The limit is part of the text, because clients use few different ones: with a bound limit PostgreSQL expects a tenth of the table and
 * has to plan each time.
 */
const pageBounds = ({ limit, offset }: Pick<ListOptions, 'limit' | 'offset'>): RawBuilder<unknown> =>
  offset === 0 ? sql`limit ${sql.lit(limit)}` : sql`limit ${sql.lit(limit)} offset ${offset}`

/** The ids of the runs that match a search, in order: all of them if few runs have the part of a name, otherwise those among the first runs that match all other filters. */
export async function searchIdsQuery(db: Db, search: RunSearch, sort: FlowRunSort): Promise<RawBuilder<unknown>> {
  const { filters, otherFilters, searchFilter, namePattern } = search
  const named = namePattern === undefined ? undefined : await findRunsByName(db, namePattern)
  if (named) return givenRunsQuery(db.dialect, named, filters, flowRunOrder[sort])
  if (namePattern !== undefined && !searchFilter.parameters && isEmptyFilter(otherFilters) && nameSorts.has(sort))
    return nameSearchQuery(db.dialect, namePattern, sortIndexHint(db.dialect, {}, sort), flowRunOrder[sort])
  return matchingIdsQuery(db.dialect, await accessPathIdsQuery(db, otherFilters, { sort, limit: searchRunsMax, offset: 0 }), searchFilter)
}

/** The sorts whose indexes contain the names. */
const nameSorts = new Set<FlowRunSort>([
  'START_TIME_ASC',
  'START_TIME_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'NAME_DESC',
])

interface ChosenPath {
  readonly path: AccessPath
  readonly isSmall: boolean
}

/** The path with the fewest runs, if it is small; otherwise the first path whose ranges have the requested order. */
async function choosePath(
  db: Db,
  paths: readonly AccessPath[],
  { sort, limit, offset, smallResultMax = smallResultDefaultMax }: ListOptions,
): Promise<ChosenPath | undefined> {
  const order = orderedSorts[sort]?.order
  const ordered = paths.find((path) => order !== undefined && path.hasOrder(order) && path.ranges(order).length * (offset + limit) <= rangeRowsMax)
  // The ranges of a window of time also contain runs from before it, which must not be read for the few of a small window.
  const isWindow = ordered?.name === 'time' && order === 'started'
  if (ordered && paths.length === 1 && !isWindow) return { path: ordered, isSmall: false }
  // A window without other filters, whose only remaining condition is the window itself, is read in order up to the end of the page.
  const isPlainWindow = isWindow && ordered.ranges(order).every(({ remaining }) => remaining.length <= 1)
  const smallMax = isPlainWindow ? Math.min(smallResultMax, 2 * (offset + limit)) : smallResultMax
  const sizes = await countRanges(db, paths, smallMax)
  const smallestSize = Math.min(...sizes)
  const smallest = paths[sizes.indexOf(smallestSize)]
  if (smallest && smallestSize < smallMax) return { path: smallest, isSmall: true }
  return ordered && { path: ordered, isSmall: false }
}

/** The index of each sort. They also hold the times and names that lists are usually filtered by. */
const sortIndexes: Partial<Record<FlowRunSort, string>> = {
  START_TIME_ASC: 'flow_run_by_start',
  START_TIME_DESC: 'flow_run_by_start',
  EXPECTED_START_TIME_ASC: 'flow_run_by_expected_start',
  EXPECTED_START_TIME_DESC: 'flow_run_by_expected_start',
  NAME_ASC: 'flow_run_by_name',
  NAME_DESC: 'flow_run_by_name',
  END_TIME_DESC: 'flow_run_by_end',
}

/** Criteria that usually match many runs. For any other criterion the database may know a faster plan. */
const broadCriteria = new Set<keyof FlowRunFilter>(['operator', 'state', 'tags', 'start_time', 'expected_start_time'])

/**
 * Forces the index of the sort if the filters are broad, so that all runs are scanned in order. Without the hint SQLite sorts a million runs by name,
 * which takes more than a second, if a filter asks for runs that are due by now.
 */
export function sortIndexHint(dialect: Dialect, { flow_runs, ...related }: RelatedFilters, sort: FlowRunSort): RawBuilder<unknown> {
  const index = sortIndexes[sort]
  const isBroad = ([name, criteria]: [string, unknown]): boolean =>
    criteria == null ||
    broadCriteria.has(name as keyof FlowRunFilter) ||
    (name === 'name' && isPartialName(flow_runs?.name)) ||
    (name === 'parent_task_run_id' && isRootOnly(flow_runs))
  const isScan =
    index && !related.task_runs && !related.deployments && flow_runs?.operator !== 'or_' && Object.entries(flow_runs ?? {}).every(isBroad)
  return isScan ? dialect.indexHint(index) : sql``
}

/** A partial name can match anywhere; complete names are found by their index. */
const isPartialName = (name: FlowRunFilter['name']): boolean => name?.any_ == null

const isRootOnly = (filter: RelatedFilters['flow_runs']): boolean => filter?.parent_task_run_id?.is_null_ === true

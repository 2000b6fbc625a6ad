import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import { type RawBuilder, sql } from 'kysely'
import { all } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { type AccessPath, countRanges, listAccessPaths } from './access-paths.ts'
import { flowRunOrder } from './filter.ts'
import type { IndexOrder, IndexRange } from './index-range.ts'
import { matchingIdsQuery, type ParameterSearch, searchedRunsMax, splitParameterSearch } from './parameter-search.ts'
import { sortIndexHint } from './sort-index.ts'
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

import { type RawBuilder, sql } from 'kysely'
import { all } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { sumByExpectedStart } from '../expected-start-sums.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { countByStates, type StateCondition } from '../run-counts.ts'
import { isEmptyFilter, listAccessPaths } from './access-paths.ts'
import { flowRunWhere } from './filter.ts'
import { type AccessPath, countRanges } from './index-ranges.ts'
import { searchIdsQuery, sortIndexHint } from './list-runs.ts'
import { plannerOf, splitSearch } from './search-runs.ts'

/** Counts the runs that match, up to `countMax`. The totals of states are read from `db`, everything else from `longReads`. */
export async function countFlowRuns(db: Db, filters: RelatedFilters, countMax?: number, longReads = db): Promise<number> {
  const states = onlyStates(db, filters)
  if (states) return Math.min(await countByStates(db, 'flow_run', states), countMax ?? Number.POSITIVE_INFINITY)
  const sums = await sumByExpectedStart(longReads, filters, 0)
  return sums ? Math.min(sums.runs, countMax ?? Number.POSITIVE_INFINITY) : countMatching(longReads, filters, countMax)
}

async function countMatching(db: Db, filters: RelatedFilters, countMax: number | undefined): Promise<number> {
  const ranges = (await searchRange(db, filters)) ??
    (await indexRanges(db, filters)) ?? [
      sql`flow_run ${sortIndexHint(db.dialect, filters, 'EXPECTED_START_TIME_DESC')} where ${flowRunsWhere(db.dialect, filters)}`,
    ]
  let count = 0
  for (const range of ranges) {
    const counted = countMax === undefined ? range : sql`(select 1 from ${range} limit ${countMax - count}) counted`
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${counted}`.execute(plannerOf(db, filters))
    count += rows[0]?.count ?? 0
    if (countMax !== undefined && count >= countMax) break
  }
  return count
}

/** The condition on states of filters that have no other criteria. */
function onlyStates({ dialect }: Db, filters: RelatedFilters): StateCondition | undefined {
  const filter = filters.flow_runs
  if (filter?.operator === 'or_' && filter.tags) return undefined
  if (!isEmptyFilter({ ...filters, flow_runs: filter && { ...filter, state: null } })) return undefined
  return filter ? flowRunWhere(dialect, filter) : sql<boolean>`1 = 1`
}

async function searchRange(db: Db, filters: RelatedFilters): Promise<RawBuilder<unknown>[] | undefined> {
  const search = await splitSearch(db, filters)
  return search && [sql`(${await searchIdsQuery(db, search, 'EXPECTED_START_TIME_DESC')}) matching`]
}

/**
 * Counts within index ranges. Without them SQLite reads the runs: counting the failed ones of a million runs took 340 ms, and takes 6 ms with
 * index ranges.
 */
async function indexRanges(db: Db, filters: RelatedFilters): Promise<RawBuilder<unknown>[] | undefined> {
  const path = await cheapestPath(db, await listAccessPaths(db, filters))
  return path?.ranges('expected').map(({ from, where, remaining }) => sql`${from} where ${all([where, ...remaining])}`)
}

/** Paths with more runs than this are compared by `pathPreference` instead of size. */
const comparedMax = 20_000
/** The state index covers the columns of the other filters. Those of deployment, flow and queue cover the ids, by which tags are found. */
const pathPreference: readonly AccessPath['name'][] = ['state', 'deployment', 'flow', 'queue', 'tag', 'time', 'start']

async function cheapestPath(db: Db, paths: readonly AccessPath[]): Promise<AccessPath | undefined> {
  const sorted = paths.toSorted((one, other) => pathPreference.indexOf(one.name) - pathPreference.indexOf(other.name))
  if (sorted.length < 2) return sorted[0]
  const sizes = await countRanges(db, sorted, comparedMax)
  return sorted[sizes.indexOf(Math.min(...sizes))]
}

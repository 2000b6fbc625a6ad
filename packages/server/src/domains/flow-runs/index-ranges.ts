import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'

/** The order of the runs within one value of an indexed column. */
export type IndexOrder = 'expected' | 'started'

/** The runs of one value of a filter: one contiguous range of an index. */
export interface IndexRange {
  /** The table with an index hint. Without it SQLite misjudges rare states and scans a million runs to find the few that are late. */
  readonly from: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  /** Whether the range is in the table of runs, so that it can provide their columns. */
  readonly isOfRuns: boolean
  readonly key: RawBuilder<unknown>
  /** The condition that the index answers. */
  readonly where: Condition
  /** The conditions to check on each run of the range. */
  readonly remaining: readonly Condition[]
}

/** One of the filters as index ranges. Every access path leads to all runs that match all filters. */
export interface AccessPath {
  readonly name: 'deployment' | 'flow' | 'tag' | 'state' | 'queue' | 'time' | 'start'
  ranges(order: IndexOrder): IndexRange[]
  /** Whether each range is sorted by this order. */
  hasOrder(order: IndexOrder): boolean
}

/** Counts the runs in the ranges of each path up to `countMax`, ignoring the remaining conditions. */
export async function countRanges(db: Db, paths: readonly AccessPath[], countMax: number): Promise<number[]> {
  const sizes: number[] = []
  for (const path of paths) {
    const ranges = path.ranges('expected')
    if (ranges.length === 0) return paths.map((each) => (each === path ? 0 : countMax))
    sizes.push(await countRuns(db, ranges, countMax))
  }
  return sizes
}

/** The same for the ranges of one path, of which there is at least one. */
export async function countRuns(db: Db, ranges: readonly IndexRange[], countMax: number): Promise<number> {
  const counted = ranges.map(({ from, where }) => sql`select * from (select 1 as one from ${from} where ${where} limit ${countMax}) one_range`)
  const query = sql<{
    count: number
  }>`select count(*) as count from (select one from (${sql.join(counted, sql` union all `)}) every limit ${countMax}) counted`
  return (await query.execute(db.kysely)).rows[0]?.count ?? 0
}

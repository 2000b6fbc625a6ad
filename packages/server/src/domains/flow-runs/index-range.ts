import type { RawBuilder } from 'kysely'
import type { Condition } from '../../storage/criteria.ts'

/** What the indexes of runs that begin with a column of a filter go on with. */
export type IndexOrder = 'expected' | 'started'

/** The runs of one value, side by side in one index. */
export interface IndexRange {
  /** A table, and which index of it: SQLite takes a rare state for a common one, and walks a million runs to find the few that are late. */
  readonly from: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  readonly key: RawBuilder<unknown>
  /** What the index answers. */
  readonly where: Condition
  /** What is left to ask of each run. */
  readonly remaining: readonly Condition[]
}

import type { SqlValue } from '../storage/connection.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { TableName } from '../storage/tables.ts'
import type { Columns } from './columns.ts'
import type { SecretReader } from './secrets.ts'
import type { Order, Source } from './source/source.ts'

export type SourceRow = Record<string, SqlValue>

/** What steps are handed. */
export interface AdoptContext {
  readonly source: Source
  readonly context: ServerContext
  /** When the copy began: the same for all of its rows, also when it was continued. */
  readonly startedAt: number
  readonly secrets: SecretReader
  /** Something that whoever runs this should know, told once at the end. */
  addNote(text: string): void
}

/** Why some rows of the source stay there, as SQL over the table of the step. */
export interface SkipRule {
  readonly where: string
  readonly reason: string
}

/** One table of the source and what becomes of its rows, page by page. */
export interface Step {
  /** Known by it in the progress; never the same twice. */
  readonly name: string
  /** What people call it. */
  readonly noun: string
  readonly from: string
  readonly to: TableName
  readonly columns: Columns
  readonly joins?: string
  /** The rows that the step is about at all; the others are some other step's. */
  readonly rowFilter?: string
  /** Columns that must point to a row of the table; rows that point nowhere are left. */
  readonly requiredReferences?: Readonly<Record<string, string>>
  /** Columns that become null where they point nowhere. */
  readonly optionalReferences?: Readonly<Record<string, string>>
  readonly skipRules?: readonly SkipRule[]
  readonly order?: Order
  /** Rows of one transaction, where the usual number is not the best. */
  readonly pageSize?: number
  /** Columns of the source that are known and not needed. */
  readonly ignoredColumns?: readonly string[]
  /** Done once before the first page, also when a copy is continued. */
  prepare?(adoption: AdoptContext): Promise<void>
  /** Writes a page; without it the rows go into the table as they are. */
  write?(adoption: AdoptContext, tx: Tx, rows: readonly SourceRow[]): Promise<void>
  /** Which rows of the table are those of the step, where it has others too, as SQL; or that nothing tells them apart. */
  readonly countFilter?: string | 'as copied'
}

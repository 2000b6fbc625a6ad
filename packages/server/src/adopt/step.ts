import type { SqlValue } from '../storage/connection.ts'
import type { Tx } from '../storage/database.ts'
import type { ActingContext } from '../storage/server-context.ts'
import type { TableName } from '../storage/tables.ts'
import type { Columns } from './columns.ts'
import type { SecretReader } from './secrets.ts'
import type { Order, Source } from './source/source.ts'

export type SourceRow = Record<string, SqlValue>

export interface AdoptContext {
  readonly source: Source
  readonly context: ActingContext
  /** When the copy was started. Unchanged by --resume. */
  readonly startedAt: number
  readonly secrets: SecretReader
  /** Adds a note for the user, shown once at the end. */
  addNote(text: string): void
}

/** Rows that are not copied, as an SQL condition on the table of the step. */
export interface SkipRule {
  readonly where: string
  readonly reason: string
}

/** Copies one table of the source, page by page. */
export interface Step {
  /** Identifies the step in the stored progress. Unique. */
  readonly name: string
  /** The name in the report. */
  readonly noun: string
  readonly from: string
  readonly to: TableName
  readonly columns: Columns
  readonly joins?: string
  /** The rows that belong to this step. Other steps read the rest. */
  readonly rowFilter?: string
  /** Foreign keys by column. Rows with a dangling reference are skipped. */
  readonly requiredReferences?: Readonly<Record<string, string>>
  /** Foreign keys by column. A dangling reference becomes null. */
  readonly optionalReferences?: Readonly<Record<string, string>>
  readonly skipRules?: readonly SkipRule[]
  readonly order?: Order
  /** Rows per transaction, when the default is not the fastest. */
  readonly pageSize?: number
  /** Source columns that are not needed. */
  readonly ignoredColumns?: readonly string[]
  /** Called before the first page, also when a copy is continued. */
  prepare?(adoption: AdoptContext): Promise<void>
  /** Writes a page. Default: inserts the rows unchanged. */
  write?(adoption: AdoptContext, tx: Tx, rows: readonly SourceRow[]): Promise<void>
  /** SQL condition for the target rows of this step, when the table has others. `as copied` when no condition separates them. */
  readonly countFilter?: string | 'as copied'
}

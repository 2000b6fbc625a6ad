import type { SqlValue } from '../../storage/connection.ts'

/** What a column of the source holds; each database keeps times, spans and JSON in a way of its own. */
export type SourceKind = 'uuid' | 'text' | 'int' | 'real' | 'bool' | 'time' | 'span' | 'json'

/**
 * A database that is taken over. It is read in one snapshot and never written to: both implementations open it so that the database itself
 * refuses a write.
 */
export interface Source {
  readonly dialect: 'sqlite' | 'postgres'
  /** The columns of a table; none when there is no such table. */
  columnsOf(table: string): Promise<ReadonlySet<string>>
  tables(): Promise<readonly string[]>
  /** `$1` is the first value. */
  all<R>(sql: string, values?: readonly SqlValue[]): Promise<R[]>
  /** How a column is asked for, so that `read` understands what comes. */
  selectExpression(kind: SourceKind, column: string): string
  /** A value that is not null, as our tables hold it. */
  read(kind: SourceKind, value: unknown): SqlValue
  /** By which rows are paged through: what it is called, and the type by which it is handed back. */
  order(table: string, by: Order): readonly { readonly column: string; readonly type: string }[]
  close(): Promise<void>
}

/** `place`: whatever order is the quickest and stays the same. `occurred`: as things happened. */
export type Order = 'place' | 'occurred'

/** Why a source cannot be taken over, in words for whoever asked for it. */
export class SourceError extends Error {
  override name = 'SourceError'
}

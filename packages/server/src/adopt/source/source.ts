import type { SqlValue } from '../../storage/connection.ts'

/** The type of a source column. The databases store times, durations and JSON differently. */
export type SourceKind = 'uuid' | 'text' | 'int' | 'real' | 'bool' | 'time' | 'span' | 'json'

/** The database that is adopted. It is read in one snapshot. Both implementations open it read-only, so that the database rejects writes. */
export interface Source {
  readonly dialect: 'sqlite' | 'postgres'
  /** The columns of a table; empty when the table does not exist. */
  columnsOf(table: string): Promise<ReadonlySet<string>>
  tables(): Promise<readonly string[]>
  /** Placeholders are `$1`, `$2` …. */
  all<R>(sql: string, values?: readonly SqlValue[]): Promise<R[]>
  /** The select expression for a column. `read` converts its result. */
  selectExpression(kind: SourceKind, column: string): string
  /** Converts a non-null value to the format of our tables. */
  read(kind: SourceKind, value: unknown): SqlValue
  /** The columns that pages are ordered by, with the cast for their values. */
  order(table: string, by: Order): readonly { readonly column: string; readonly type: string }[]
  close(): Promise<void>
}

/** `storage`: the fastest stable order. `occurred`: by event time. */
export type Order = 'storage' | 'occurred'

/** A problem of the source or target that the user can fix. */
export class SourceError extends Error {
  override name = 'SourceError'
}

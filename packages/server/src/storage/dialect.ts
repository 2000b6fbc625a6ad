import { type RawBuilder, sql } from 'kysely'
import type { Connection, SqlValue, WriteConnection } from './connection.ts'
import type { ColumnKind, Row, TableName } from './tables.ts'

/** Keys of objects, places in lists. */
export type JsonPath = readonly (string | number)[]

type ListKind = 'uuid' | 'text' | 'int'

/**
 * The seam: the named ways in which SQLite and PostgreSQL differ. Nothing outside `storage/` asks which one it is.
 * In SQL text a `$n` stands for a value, a `column` is SQL already.
 */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** A list as one value, so that the text of a statement does not change with the length of the list. */
  list(values: readonly (string | number)[]): SqlValue
  /** `column in (…)` for a list bound as `value`. */
  inList(column: string, value: string, kind: ListKind): string
  /** The same for Kysely. */
  isIn(column: RawBuilder<unknown>, values: readonly (string | number)[], kind: ListKind): RawBuilder<boolean>
  /** A JSON list of texts holds all, or any, of the values. */
  containsAll(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean>
  containsAny(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean>
  /** Which pairs of texts two columns have. */
  isPairIn(columns: readonly [RawBuilder<unknown>, RawBuilder<unknown>], pairs: readonly (readonly [string, string])[]): RawBuilder<boolean>
  isEmptyList(column: RawBuilder<unknown>): RawBuilder<boolean>
  /** Matches without regard to case, with `%` and `_` as wildcards. */
  isLike(column: RawBuilder<unknown>, pattern: string): RawBuilder<boolean>
  /** The same for any of several patterns. */
  isLikeAny(column: RawBuilder<unknown>, patterns: readonly string[]): RawBuilder<boolean>
  /** How many bytes the text or JSON of a column has; null for null. */
  bytesOf(column: string): string
  /** The text under a key of a JSON object. */
  jsonText(column: string, key: string): string
  /** After the name of a table: which index to use, where the database guesses badly. */
  indexHint(name: string): RawBuilder<unknown>
  /** What lies at a path of stored JSON is an object or a list, or (null) there is nothing. */
  isJsonType(column: RawBuilder<unknown>, path: JsonPath, kind: 'object' | 'array' | null): RawBuilder<boolean>
  /** What lies at a path of stored JSON is this text, number, truth or null, given as JSON. */
  equalsJson(column: RawBuilder<unknown>, path: JsonPath, json: string): RawBuilder<boolean>
  /** Ends a select so that the rows are locked until the commit; empty where there is one writer only. */
  readonly forUpdate: string
  /** The same, passing by rows that others hold. */
  readonly skipLocked: string
  /** Whether a savepoint costs nothing to speak of, so that each command of a transaction gets one. */
  readonly usesSavepoints: boolean
  readonly insertMany: (connection: Connection, table: TableName, rows: readonly object[], onConflict: string) => Promise<number>
  readonly updateMany: (connection: Connection, table: TableName, rows: readonly object[], key: string) => Promise<number>
  /** Tables that are cut by time, so that what is too old goes at once; null where rows go one by one. */
  readonly partitions: PartitionStatements | null
  /** About how many rows a table has, and how many bytes it takes, if that can be told quickly. */
  tableStats(table: TableName): string
  /** Tells whether the database takes writes: `read_only` is 0 or 1. */
  readonly readOnlyQuery: string
  /** How many bytes the whole database takes. */
  readonly databaseBytes: string
  /** Gives disk back that is no longer used, a little at a time; null where the database sees to it. */
  readonly incrementalVacuum: { readonly facts: string; readonly step: string } | null
  /** Reads the database's clock as `time`, in microseconds; null where the machine's clock is the only one. */
  readonly clockQuery: string | null
  /** Whether other servers may write to the same database. */
  readonly isShared: boolean
  /** Writes events, each of another id, with the commit; one that was sent and is there already is left as it is. */
  appendEvents(connection: WriteConnection, events: readonly NewEvent[]): Promise<void>
  /** How a column of this kind is declared; the storage suite compares it with the migrations. */
  columnType(kind: ColumnKind): string
  isUniqueViolation(error: unknown): boolean
  isForeignKeyViolation(error: unknown): boolean
  /** A name or key is longer than an index takes. */
  isKeyTooLong(error: unknown): boolean
  /** Another transaction was in the way: worth trying the same one again. */
  isTransient(error: unknown): boolean
  /** The database gave up a statement that took too long, or waited too long for a lock. */
  isTimeout(error: unknown): boolean
  /** The database is away for the moment, in one of these ways; undefined for any other error. */
  unavailability(error: unknown): Unavailability | undefined
  /** Whether an error that came instead of the answer to a commit proves that nothing was committed. */
  provesRollback(error: unknown): boolean
  /** Whether it is away in any way: disk full, read-only, gone. */
  isUnavailable(error: unknown): boolean
}

/**
 * How a database can be away. `lost`: the connection broke, and the next may work at once. `unreachable`: no connection was made or no answer came
 * in time, so that the next try would wait as long. `refusing`: it is there and cannot take this now.
 */
export type Unavailability = 'lost' | 'unreachable' | 'refusing'

/** Statements over a table's name, the width of its parts in microseconds, and an instant. */
export interface PartitionStatements {
  /** Makes the part that an instant lies in, unless it is there or cannot be made now. */
  readonly add: string
  /** Takes two instants: drops the oldest part that begins after the first and ends before the second: `low`, where it began, and `rows`, about how many it had. */
  readonly drop: string
  /** Where the rows lie that no part was made for; they go one by one. */
  defaultPartition(table: 'event' | 'log'): string
}

/** `like_` is a part of a text, not the whole of it. */
export const likePattern = (pattern: string): string => `%${pattern}%`

export const col = (name: string): RawBuilder<unknown> => sql.ref(name)

/** An event on its way into the log, with what is kept beside it. */
export interface NewEvent {
  readonly row: Row<'event'>
  /** Every resource it names, each once in each of its roles; what it is about has none. */
  readonly resources: readonly { readonly id: string; readonly role: string }[]
  readonly quarter: number
  /** Whether it came from outside, and may have come before: then the first one stays. */
  readonly isFromClient: boolean
}

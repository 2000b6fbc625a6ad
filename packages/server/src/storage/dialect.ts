import { type RawBuilder, sql } from 'kysely'
import type { Connection, SqlValue, WriteConnection } from './connection.ts'
import type { ColumnKind, Row, TableName } from './tables.ts'

/** Object keys and list indexes. */
export type JsonPath = readonly (string | number)[]

type ListKind = 'uuid' | 'text' | 'int'

/** Present values of rows, by key. A column that is missing may have any value. */
export type StoredRows = ReadonlyMap<string, object>

/** A write of a transaction: rows of one table with the same columns, or a statement. */
export type Write = InsertRows | UpdateRows | { readonly run: string; readonly values: readonly SqlValue[] }

export interface InsertRows {
  readonly insert: TableName
  readonly rows: readonly object[]
  readonly onConflict?: string
  readonly isRecorded?: boolean
}

export interface UpdateRows {
  readonly update: TableName
  readonly rows: readonly object[]
  /** Finds the rows (default: `id`). */
  readonly key?: string
  /** May have the present values of some rows, by key: what does not differ need not be written. */
  readonly stored?: StoredRows
  readonly isRecorded?: boolean
}

/**
 * The differences between SQLite and PostgreSQL. No code outside `storage/` checks which database it runs on.
 * In SQL text `$n` is a bound value; a `column` argument is SQL.
 */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** A list as one bound value, so that the statement text does not depend on the length of the list. */
  list(values: readonly (string | number)[]): SqlValue
  /** `column in (…)` for a list bound as `value`. */
  inList(column: string, value: string, kind: ListKind): string
  /** The same for a list and the ids that a query returns. */
  inListOr(column: string, value: string, kind: ListKind, query: string): string
  /** The same for Kysely. */
  isIn(column: RawBuilder<unknown>, values: readonly (string | number)[], kind: ListKind): RawBuilder<boolean>
  /**
   * `select` of the rows whose columns equal one of the given keys, by one search of an index for each key. A list for each column would ask for all
   * combinations of their values, or read all rows that match in one of the columns. `bindKeys` makes the parameters.
   */
  selectByKeys(table: TableName, columns: Readonly<Record<string, ListKind>>, condition?: string, selected?: readonly string[]): string
  bindKeys(keys: readonly (readonly string[])[]): SqlValue[]
  /** A list of ids as a table with the column `id`. */
  idRows(ids: readonly string[]): RawBuilder<unknown>
  /** A JSON list of texts contains all, or any, of the values. */
  containsAll(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean>
  containsAny(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean>
  /** Whether indexes find the rows with a tag. */
  readonly indexesTags: boolean
  isEmptyList(column: RawBuilder<unknown>): RawBuilder<boolean>
  /** Matches case-insensitively, with `%` as a wildcard. A backslash makes the next character a letter: see `likePattern`. */
  isLike(column: RawBuilder<unknown>, pattern: string): RawBuilder<boolean>
  /** The same for any of several patterns. */
  isLikeAny(column: RawBuilder<unknown>, patterns: readonly string[]): RawBuilder<boolean>
  /** Whether a text or JSON column has more bytes than this. May be false for a compressed value of up to three times as many. Null or false for null. */
  isLargerThan(column: string, bytes: number): string
  /** A text that changes with every change of a row of this table; null where the database has none. */
  rowVersion(table: string): string | null
  /** All columns of a row, with what `rowVersion` reads. */
  readonly allColumns: string
  /** An aggregate of the ids and versions of rows of this table. Two sets of rows have the same hash only if they are equal. Null without versions. */
  versionHash(table: string): string | null
  /** A double as text that gives the same double again. */
  doubleText(value: RawBuilder<unknown>): RawBuilder<string>
  /** The text under a key of a JSON object. */
  jsonText(column: string, key: string): string
  /** Returns a row if an index finds parts of the names of flow runs; null where there is no such index. */
  readonly nameIndexQuery: string | null
  /** Index hint after a table name, where the planner chooses badly. Empty where there are no hints. */
  indexHint(name: string): RawBuilder<unknown>
  /** The same condition, which the planner expects most rows to meet, and for which it uses no index. */
  likely(condition: RawBuilder<boolean>): RawBuilder<boolean>
  /**
   * The first column has this id, and the second is between two numbers, for reading in the order of both, which an index has. The planner uses that index
   * whatever it knows of the id.
   */
  isIdBetween(columns: readonly [RawBuilder<unknown>, RawBuilder<unknown>], id: string, low?: number, high?: number): RawBuilder<boolean>
  /** The first column has this text, which becomes part of the SQL, and the second is greater than a number, for reading in the order of both. */
  isPairAfter(columns: readonly [RawBuilder<unknown>, RawBuilder<unknown>], text: string, low: number): RawBuilder<boolean>
  /** The value at a path of stored JSON is an object or a list, or (null) is missing. */
  isJsonType(column: RawBuilder<unknown>, path: JsonPath, kind: 'object' | 'array' | null): RawBuilder<boolean>
  /** The value at a path of stored JSON equals this string, number, boolean or null, given as JSON. */
  equalsJson(column: RawBuilder<unknown>, path: JsonPath, json: string): RawBuilder<boolean>
  /** Suffix of a select that locks the rows until the commit; empty for a database with a single writer. */
  readonly forUpdate: string
  /** The same for a change of columns that no other row refers to, so that rows that refer to these can be inserted meanwhile. */
  readonly forChange: string
  /** Suffix that leaves out the rows that other transactions have locked. */
  readonly exceptHeld: string
  /** `forUpdate`, skipping rows that other transactions have locked. */
  readonly skipLocked: string
  /** Returns the number of changed rows. */
  insertRows(connection: Connection, rows: InsertRows): Promise<number>
  updateRows(connection: Connection, rows: UpdateRows): Promise<number>
  /** Writes in this order. The statements may be sent, and fail, as late as with the commit. */
  write(connection: WriteConnection, writes: readonly Write[]): Promise<void>
  /**
   * Whether triggers derive counts and tags from the rows of runs. Where they do not, who writes the rows writes these too and names the rows `isRecorded`, which the
   * triggers that are left for the servers of the version before do not touch (migration 026; they go with the next version).
   */
  readonly derivesByTriggers: boolean
  /** Tables partitioned by time, so that retention drops whole partitions; null where rows are deleted one by one. */
  readonly partitions: PartitionStatements | null
  /** A query for the approximate row count and the size in bytes of a table; null where the database cannot tell quickly. */
  tableStats(table: TableName): string
  /** Returns `name`, `rows` and `bytes`, with indexes, of every table. Reads the whole file on SQLite. */
  readonly tableSizes: string
  /** Returns `read_only`, 0 or 1. */
  readonly readOnlyQuery: string
  /** Returns the size of the database as `bytes`. */
  readonly databaseBytes: string
  /** Statements for the log after rows were deleted; null where none are needed. `vacuum` must run outside of a transaction. */
  readonly logMaintenance: { readonly vacuum: string; readonly hasPartitions: string; readonly dropEmptyPartitions: string } | null
  /** Returns unused pages to the file system in small steps; null where the database does this itself. */
  readonly incrementalVacuum: { readonly facts: string; readonly step: string } | null
  /** Returns the database clock as `time` in microseconds; null where the machine clock is the only one. */
  readonly clockQuery: string | null
  /** Whether other servers may write to the same database. */
  readonly isShared: boolean
  /** Limits how long the statements of a transaction wait for a lock, while others wait behind them; null where nobody else can hold one. */
  readonly limitLockWait: string | null
  /** Waits for no lock, except those that end within milliseconds; null where nobody else can hold one. */
  readonly skipLockWait: string | null
  /** Writes events with distinct ids at the commit. An event from a client whose id is already in the log is ignored. */
  appendEvents(connection: WriteConnection, events: readonly NewEvent[]): Promise<void>
  /** The declared type of a column of this kind. The storage suite compares it with the migrations. */
  columnType(kind: ColumnKind): string
  isUniqueViolation(error: unknown): boolean
  isForeignKeyViolation(error: unknown): boolean
  /** A name or key exceeds the maximum size of an index entry. */
  isKeyTooLong(error: unknown): boolean
  /** A lock was not released in time. */
  isHeld(error: unknown): boolean
  /** A conflict with another transaction, such as a deadlock. A retry may succeed. */
  isTransient(error: unknown): boolean
  /** A table has changed beside this server. The transaction has to be repeated, and finds its statements prepared again. */
  isOutdatedStatement(error: unknown): boolean
  /** The database cancelled a statement that took too long or waited too long for a lock. */
  isTimeout(error: unknown): boolean
  /** How the database is unavailable; undefined for any other error. */
  unavailability(error: unknown): Unavailability | undefined
  /** Whether an error received for a commit proves that nothing was committed. */
  provesRollback(error: unknown): boolean
  /** Whether the database is unavailable in any way: disk full, read-only or unreachable. */
  isUnavailable(error: unknown): boolean
}

/**
 * How a database can be unavailable. `lost`: the connection broke, and a new one may work at once. `unreachable`: no connection or no response in
 * time, so that a retry would wait as long. `refusing`: the database responds but cannot execute the statement now.
 */
export type Unavailability = 'lost' | 'unreachable' | 'refusing'

/** Statements that take a table name, the partition width in microseconds and a time. */
export interface PartitionStatements {
  /** Creates the partition that contains a time, unless it exists or cannot be created now. */
  readonly add: string
  /** Takes two times. Drops the oldest partition between them; returns its start as `low` and its approximate row count as `rows`. */
  readonly drop: string
  /** The partition of rows outside of all other partitions. Retention deletes these one by one. */
  defaultPartition(table: 'log'): string
}

/** `like_` matches a substring. */
export const likePattern = (pattern: string): string => `%${escapeLike(pattern)}%`

/** A prefix in which `%` stands for any text, as in `like_`. */
export const prefixPattern = (prefix: string): string => `${escapeLike(prefix)}%`

/** Only `%` is a wildcard: `_` is a letter, and so is the backslash, which escapes both in `isLike`. */
const escapeLike = (text: string): string => text.replaceAll(/[\\_]/g, '\\$&')

export const col = (name: string): RawBuilder<unknown> => sql.ref(name)

/** An event to append to the log. */
export interface NewEvent {
  readonly row: Row<'event'>
  /**
   * For an event of a client: the last position of the segments that are known not to contain its id. A client may send an event again; the first copy
   * wins. Null for an event of the server, whose id is new.
   */
  readonly checkedUntil: number | null
}

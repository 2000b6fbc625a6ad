import type { Bus } from '../lib/bus.ts'
import type { StartupError } from '../lib/startup-error.ts'
import type { Micros } from '../lib/time.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** The database connections of one server. */
export interface Pool {
  readonly dialect: Dialect
  /** For reads outside of the write queue. On PostgreSQL each statement takes a free connection. */
  readonly reads: Connection
  /** For statements that select rows by a list of ids. Undefined where a statement for each row costs as little. */
  readonly keyReads?: Connection | undefined
  /** For statements that may take long and return few rows. Undefined where `reads` delays no other statement. */
  readonly longReads?: Connection | undefined
  /** The read replica; undefined without one. */
  readonly replica?: Replica | undefined
  /** The maximum number of concurrent write transactions. */
  readonly writersMax: number
  withWriter<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** The same for commands that wait for a lock longer than others may. Undefined where nobody else can hold one, and where there is no connection for it. */
  withWaitingWriter?<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** The same without timeouts, for migrations. */
  withMaintenance<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** Forwards notifications of other servers to the bus until `close`. Undefined where only one server can use the database. */
  listen?(bus: Bus): Promise<void>
  /** Waits until the database is reachable. Undefined for a database file. */
  waitUntilReachable?(options: WaitOptions): Promise<void>
  /** Called once the schema is up to date, before the server uses it. */
  start?(): Promise<void>
  /** Reports once that the database file was deleted or replaced; all reads and writes fail from then on. Undefined where the database has no file. */
  onFileLost?(report: (message: string) => void): void
  /** Explains an error at startup. Undefined for an error that the database did not cause. */
  explainStartError(error: unknown): StartupError | undefined
  /** Warnings about the opened database, for the log. */
  readonly warnings: readonly string[]
  /** Undefined where the database has no file of its own. */
  readonly backups?: DatabaseBackups | undefined
  /** Called at the start of the shutdown: an unresponsive database is abandoned sooner. */
  shortenTimeouts?(): void
  close(): Promise<void>
}

/** Backups of a database file. An empty folder is the one next to the database. */
export interface DatabaseBackups {
  folder(folder: string): string
  latest(folder: string): { readonly path: string; readonly at: Micros } | undefined
  /** Saves the database beside its server. Rejects with a `StartupError` if that is not possible. */
  create(order: BackupOrder, signal: AbortSignal): Promise<SavedBackup>
}

export interface BackupOrder {
  readonly folder: string
  readonly now: Micros
  readonly compress: boolean
  readonly keep: number
  readonly configuredKeys: readonly string[]
}

export interface SavedBackup {
  readonly file: string
  readonly bytes: number
  readonly seconds: number
  readonly warnings: readonly string[]
}

export interface ReplicaLog {
  info(message: string): void
  warn(message: string): void
}

export interface ReplicaStatus {
  /** `behind`: the lag exceeds the maximum. Unless it is `used`, the primary answers all reads. */
  readonly state: 'used' | 'behind' | 'unreachable'
  readonly problem: string | null
  /** The age of the oldest commit that the replica may lack; null while it is unreachable. */
  readonly lag_seconds: number | null
  readonly lag_bytes: number | null
  readonly maximum_lag_seconds: number
  /** Heavy reads that the replica and the primary answered since the start. */
  readonly replica_reads: number
  readonly primary_reads: number
}

/** A read replica of the database, for lists, counts, histories and graphs. */
export interface Replica {
  /** Sees everything that was committed before the statement, on any server. Falls back to the primary. */
  readonly connection: Connection
  /** Measures the lag until the pool is closed, and logs changes. */
  start(log: ReplicaLog): Promise<void>
  status(): ReplicaStatus
}

/** The part of a pool that reads. */
export type ReadPool = Pick<Pool, 'dialect' | 'reads' | 'waitUntilReachable' | 'explainStartError' | 'close'>

export interface WaitOptions {
  /** How long to retry. */
  readonly timeoutSeconds: number
  /** Called once when the first attempt fails and others follow. */
  onWait(message: string): void
}

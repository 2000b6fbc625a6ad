import type { Bus } from '../lib/bus.ts'
import type { StartupError } from '../lib/startup-error.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** The database connections of one server. */
export interface Pool {
  readonly dialect: Dialect
  /** For reads outside of the write queue. On PostgreSQL each statement takes a free connection. */
  readonly reads: Connection
  /** The maximum number of concurrent write transactions. */
  readonly writersMax: number
  withWriter<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** The same without timeouts, for migrations. */
  withMaintenance<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** Forwards notifications of other servers to the bus until `close`. Undefined where only one server can use the database. */
  listen?(bus: Bus): Promise<void>
  /** Waits until the database is reachable. Undefined for a database file. */
  waitUntilReachable?(options: WaitOptions): Promise<void>
  /** Called once the schema is up to date, before the server uses it. */
  start?(): Promise<void>
  /** Explains an error at startup. Undefined for an error that the database did not cause. */
  explainStartError(error: unknown): StartupError | undefined
  /** Warnings about the opened database, for the log. */
  readonly warnings: readonly string[]
  /** Called at the start of the shutdown: an unresponsive database is abandoned sooner. */
  shortenTimeouts?(): void
  close(): Promise<void>
}

/** The part of a pool that reads. */
export type ReadPool = Pick<Pool, 'dialect' | 'reads' | 'waitUntilReachable' | 'explainStartError' | 'close'>

export interface WaitOptions {
  /** How long to retry. */
  readonly timeoutSeconds: number
  /** Called once when the first attempt fails and others follow. */
  onWait(message: string): void
}

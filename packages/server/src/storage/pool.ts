import type { Bus } from '../lib/bus.ts'
import type { StartupError } from '../lib/startup-error.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** The connections of one server to its database. */
export interface Pool {
  readonly dialect: Dialect
  /** For reads outside the lane; on PostgreSQL each statement takes a free connection. */
  readonly reads: Connection
  /** How many transactions may be open for writing at a time. */
  readonly writersMax: number
  withWriter<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** The same without the time-outs that keep one server from delaying others: for migrations. */
  withMaintenance<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R>
  /** From when it resolves until `close`, what other servers commit wakes the bus. Not there where no others can be. */
  listen?(bus: Bus): Promise<void>
  /** Waits until the database can be reached. Not there where it is a file. */
  waitUntilReachable?(options: WaitOptions): Promise<void>
  /** Called once the schema is up to date, before the server works with it. */
  start?(): Promise<void>
  /** What is wrong when the start fails with this error, in words. Undefined for an error that has nothing to do with the database. */
  explainStartError(error: unknown): StartupError | undefined
  /** What a person should know of the database that was found. */
  readonly warnings: readonly string[]
  /** Called when the server begins to end: from now on a database that does not answer is given up sooner. */
  shortenTimeouts?(): void
  close(): Promise<void>
}

export interface WaitOptions {
  /** How long to try again. */
  readonly timeoutSeconds: number
  /** Called once when the first attempt fails and others follow. */
  onWait(message: string): void
}

import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** The connections of one server to its database. */
export interface Pool {
  readonly dialect: Dialect
  /** For reads outside the lane; on PostgreSQL each statement takes a free connection. */
  readonly reads: Connection
  /** How many transactions may be open for writing at a time. */
  readonly writersMax: number
  withWriter<R>(use: (connection: Connection) => Promise<R>): Promise<R>
  close(): Promise<void>
}

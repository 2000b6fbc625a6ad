/** A bound value. Lists go through `dialect.list`; SQLite binds booleans as numbers. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

export interface ReadOptions {
  /** The database plans the statement for its values each time. Otherwise a plan may be made once, for any values and any size of the tables. */
  readonly replans?: boolean | undefined
}

/** One database connection. */
export interface Connection {
  all<R>(sql: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[]>
  /** Returns the number of changed rows. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>
  /** Runs the statement once per list of values. Returns the total number of changed rows. */
  runEach(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>
  /** Runs several statements without values. */
  script(sql: string): Promise<void>
}

interface LogStatementOptions {
  /** Whether the statement ignores rows that exist. Their commits may not be durable yet. */
  readonly ignoresExisting?: boolean
}

interface LaterOptions {
  /** Whether the statement certainly writes. */
  readonly inserts?: boolean
}

/** The connection of a writer. */
export interface WriteConnection extends Connection {
  /** Why the connection is unusable; undefined while it works. */
  readonly lost: Error | undefined
  begin(): Promise<void>
  /**
   * Runs a statement before the commit under the log lock, so that the positions it assigns become visible in order across all servers.
   * Returns no rows. The statement may fail as late as in `commit`.
   */
  runInLogOrder(sql: string, values: readonly SqlValue[], options?: LogStatementOptions): Promise<void>
  /** Runs a statement before the next one or the commit. The statement may fail as late as in `commit`. */
  runLater(sql: string, values: readonly SqlValue[], options?: LaterOptions): Promise<unknown>
  /** Commits and sends the notifications to the other servers. Each is a topic, optionally followed by a space and a hint. */
  commit(notifications: ReadonlySet<string>): Promise<void>
  rollback(): Promise<void>
}

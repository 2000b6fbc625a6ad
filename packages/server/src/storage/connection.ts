/** What a driver binds. Lists are passed by `dialect.list`, booleans become numbers where there are none. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

/** One connection to a database, as the rest of the server sees it. */
export interface Connection {
  all<R>(sql: string, values: readonly SqlValue[]): Promise<R[]>
  /** The number of rows changed. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>
  /** The same statement for each list of values; the number of rows changed in all. */
  runEach(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

/** The connection of one writer. */
export interface WriteConnection extends Connection {
  /** Why the connection is of no use any more, as far as is known. */
  readonly lost: Error | undefined
  begin(): Promise<void>
  /**
   * Runs a statement before the commit, in the order of the log: positions that it assigns become visible in their order, whichever server
   * commits. The statement returns nothing and may fail as late as in `commit`.
   */
  runInLogOrder(sql: string, values: readonly SqlValue[]): Promise<void>
  /** Other servers hear of the notices with it: each a topic, and after a space what is to be said of it. */
  commit(notices: ReadonlySet<string>): Promise<void>
  rollback(): Promise<void>
}

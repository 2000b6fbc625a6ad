/** What a driver binds. Lists are passed by `dialect.list`, booleans become numbers where there are none. */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

/** One connection to a database, as the rest of the server sees it. */
export interface Connection {
  all<R>(sql: string, values: readonly Value[]): Promise<R[]>
  /** The number of rows changed. */
  run(sql: string, values: readonly Value[]): Promise<number>
  /** The same statement for each list of values; the number of rows changed in all. */
  runEach(sql: string, rows: readonly (readonly Value[])[]): Promise<number>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

import { readFileSync } from 'node:fs'
import pg from 'pg'

export interface PostgresActivity {
  /** Bytes of the write-ahead log since the cluster exists. */
  readonly walBytes: number
  readonly commits: number
}

/** Reads the counters of a PostgreSQL server on this machine, for benchmarks. */
export class PostgresMonitor {
  readonly #client: pg.Client

  constructor(databaseUrl: string) {
    this.#client = new pg.Client({ connectionString: databaseUrl, application_name: 'monitor' })
    // Raised when the server stops first.
    this.#client.on('error', () => {})
  }

  async connect(): Promise<this> {
    await this.#client.connect()
    return this
  }

  async version(): Promise<string> {
    return (await this.#one('show server_version')).server_version?.split(' ')[0] ?? ''
  }

  /** The parent of all processes of the server. */
  async postmasterPid(): Promise<number> {
    const { pid } = await this.#one('select pg_backend_pid() as pid')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  }

  async activity(): Promise<PostgresActivity> {
    const row = await this.#one(
      "select (pg_current_wal_lsn() - '0/0')::text as wal_bytes, (select sum(xact_commit) from pg_stat_database)::text as commits",
    )
    return { walBytes: Number(row.wal_bytes), commits: Number(row.commits) }
  }

  async databaseBytes(): Promise<number> {
    return Number((await this.#one('select pg_database_size(current_database())::text as bytes')).bytes)
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async #one(text: string): Promise<Record<string, string>> {
    return (await this.#client.query(text)).rows[0]
  }
}

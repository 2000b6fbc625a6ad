import pg from 'pg'

/** A running PostgreSQL server as tests and benchmarks see it. */
export interface Cluster {
  /** The URL of a database of that name, whether it exists or not. */
  url(database: string): string
  /** Makes a database, as a copy of the template when one is named, and answers with its URL. */
  createDatabase(name: string, template?: string): Promise<string>
  dropDatabase(name: string): Promise<void>
  /**
   * Makes a template once per server: callers of the same name wait for the first, whose `prepare` fills the database (it must have closed
   * its connections when it returns). When `prepare` throws, the next caller starts over.
   */
  ensureTemplate(name: string, prepare: (url: string) => Promise<void>): Promise<void>
  close(): Promise<void>
}

export function connectCluster(adminUrl: string): Cluster {
  // Connects when first used and lets go soon after, so that a forgotten close() keeps no process alive.
  const pool = new pg.Pool({ connectionString: adminUrl, max: 2, idleTimeoutMillis: 1000, allowExitOnIdle: true })
  // An idle connection is cut when the server stops before us; whoever asks next hears of it.
  pool.on('error', () => {})

  const url = (database: string) => {
    const target = new URL(adminUrl)
    target.pathname = `/${encodeURIComponent(database)}`
    return target.href
  }

  return {
    url,
    async createDatabase(name, template = 'template1') {
      // With fsync off and 50 tables of four indexes: 21 ms as files, 40 to 75 ms block by block (the default, wal_log).
      await pool.query(`create database ${quoteIdentifier(name)} template ${quoteIdentifier(template)} strategy file_copy`)
      return url(name)
    },
    async dropDatabase(name) {
      await pool.query(dropStatement(name))
    },
    async ensureTemplate(name, prepare) {
      const unfinished = `${name}_unfinished`
      const client = await pool.connect()
      try {
        await client.query('select pg_advisory_lock(hashtext($1))', [name])
        const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
        if (rowCount !== 0) return
        await client.query(dropStatement(unfinished))
        await client.query(`create database ${quoteIdentifier(unfinished)} template template1`)
        await prepare(url(unfinished))
        await client.query(`alter database ${quoteIdentifier(unfinished)} rename to ${quoteIdentifier(name)}`)
      } finally {
        // Ending the session also gives the lock back, whatever went wrong.
        client.release(true)
      }
    },
    close: () => pool.end(),
  }
}

const dropStatement = (name: string) => `drop database if exists ${quoteIdentifier(name)} with (force)`

const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`

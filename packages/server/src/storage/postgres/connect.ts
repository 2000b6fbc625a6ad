import pg from 'pg'
import type { Connection, Value } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { postgres } from './dialect.ts'
import { openNotices } from './notices.ts'
import { explainStartFailure } from './startup-errors.ts'
import { waitForServer } from './wait-for-server.ts'

const int8 = 20
const json = 114
const jsonb = 3802

/** Times are 64-bit microseconds, which a number holds; JSON stays text, so that nothing in it is altered. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === int8) return Number
    if (oid === json || oid === jsonb) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

export interface PostgresOptions {
  readonly poolSize: number
  /** Called when an idle connection breaks; the pool replaces it. */
  onError(error: Error): void
}

export function openPostgres(url: string, options: PostgresOptions): Pool {
  const pool = new pg.Pool({ connectionString: url, max: options.poolSize, types, application_name: 'millrace', connectionTimeoutMillis: 10_000 })
  pool.on('error', options.onError)
  const notices = openNotices(url)
  return {
    dialect: postgres,
    reads: connection(pool),
    // Two, so that one batch is made up while another is carried out; with more of them batches only get smaller (16 clients: 241 lifecycles
    // a second with one or two, 219 with four).
    writersMax: Math.min(2, options.poolSize),
    async withWriter(use) {
      const client = await pool.connect()
      let broken: Error | undefined
      const onError = (error: Error) => {
        broken = error
      }
      client.on('error', onError)
      try {
        return await use(connection(client))
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    async commit(connection, told) {
      if (told.size === 0) await connection.run('commit', [])
      else await connection.script(notices.commit(told))
    },
    listen: (bus) => notices.listen(bus),
    reach: (options) => waitForServer(async () => (await pool.connect()).release(), url, options),
    explainStart: (error) => explainStartFailure(error, url)?.error,
    warnings: [],
    async close() {
      await notices.close()
      await pool.end()
    },
  }
}

/** Statements of fixed text are prepared on the server once a connection, under a name made from the text. */
function connection(client: pg.Pool | pg.PoolClient): Connection {
  const query = (text: string, values: readonly Value[]) => client.query({ text, values: values as unknown[], name: nameOf(text) })
  return {
    async all<R>(text: string, values: readonly Value[]) {
      return (await query(text, values)).rows as R[]
    },
    async run(text, values) {
      return (await query(text, values)).rowCount ?? 0
    },
    async runEach(text, rows) {
      let changed = 0
      for (const values of rows) changed += (await query(text, values)).rowCount ?? 0
      return changed
    },
    async script(text) {
      await client.query(text)
    },
  }
}

const names = new Map<string, string>()
const namesMax = 500

/**
 * Texts beyond the first few hundred are filters that hardly come twice: they go unnamed, which keeps the server's memory bounded. So do texts that
 * begin with a comment: by it a query asks to be planned for its values each time.
 */
function nameOf(text: string): string | undefined {
  if (text.startsWith('/*')) return undefined
  const known = names.get(text)
  if (known || names.size >= namesMax) return known
  const name = `m${names.size}`
  names.set(text, name)
  return name
}

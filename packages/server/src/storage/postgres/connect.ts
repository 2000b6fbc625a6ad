import pg from 'pg'
import { afterSeconds } from '../../lib/time.ts'
import type { Connection, SqlValue } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { postgres } from './dialect.ts'
import { openNotifications } from './notifications.ts'
import { preparedStatementName, Session } from './session.ts'
import { explainStartFailure, waitForServer } from './startup-errors.ts'
import { Watchdog } from './watchdog.ts'
import { PostgresWriter } from './writer.ts'

export interface PostgresOptions {
  readonly poolSize: number
  readonly statementTimeoutSeconds: number
  /** Called when an idle connection breaks; the pool replaces it. */
  onError(error: Error): void
}

/** How long whoever asks waits for a connection while all are in use. */
const acquireTimeoutSeconds = 4

/** How long connections may take to say goodbye. */
const closeTimeoutSeconds = 1

/**
 * Times after which the database server ends what a frozen or unreachable replica began, in milliseconds unless named otherwise. A transaction
 * may follow one of the same replica that waits for its locks, which is why others wait for up to twice the first time.
 */
const sessionSettings = (statementSeconds: number): Readonly<Record<string, string>> => ({
  idle_in_transaction_session_timeout: '900',
  lock_timeout: '3000',
  statement_timeout: String(Math.round(statementSeconds * 1000)),
  // Notices a client that is gone while a statement runs or waits for a lock.
  client_connection_check_interval: '1000',
  tcp_user_timeout: '5000',
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
})

/** A migration takes as long as it takes; one whose server is frozen is given up after a minute. */
const maintenanceSettings = { idle_in_transaction_session_timeout: '60000', lock_timeout: '0', statement_timeout: '0' } as const

export function openPostgres(url: string, options: PostgresOptions): Pool {
  const settings = sessionSettings(options.statementTimeoutSeconds)
  const watchdog = new Watchdog({ url, timeoutSeconds: options.statementTimeoutSeconds + 5 })
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    application_name: 'millrace',
    connectionTimeoutMillis: acquireTimeoutSeconds * 1000,
    Client: Session as unknown as new () => pg.Client,
    onConnect(client) {
      watchdog.add(client as Session)
      return (client as Session).configure(settings)
    },
  })
  pool.on('error', options.onError)
  pool.on('acquire', (client) => {
    ;(client as unknown as Session).isIdle = false
  })
  pool.on('release', (_error, client) => {
    ;(client as unknown as Session).isIdle = true
  })
  const notices = openNotifications(url)

  async function withSession<R>(use: (session: Session) => Promise<R>): Promise<R> {
    const client = await pool.connect()
    const session = client as unknown as Session
    try {
      return await use(session)
    } finally {
      client.release(session.lost)
    }
  }

  return {
    dialect: postgres,
    reads: createReadConnection(withSession),
    // Two, so that one batch is made up while another is carried out; with more of them batches only get smaller (16 clients: 241 lifecycles
    // a second with one or two, 219 with four).
    writersMax: Math.min(2, options.poolSize),
    withWriter: (use) => withSession((session) => use(new PostgresWriter(session, notices.statement))),
    withMaintenance: (use) =>
      withSession(async (session) => {
        session.isUnlimited = true
        await session.configure(maintenanceSettings)
        try {
          return await use(new PostgresWriter(session, notices.statement))
        } finally {
          session.abandon(new Error('Connection terminated: the maintenance is done'))
        }
      }),
    listen: (bus) => notices.listen(bus),
    waitUntilReachable: (options) => waitForServer(async () => (await pool.connect()).release(), url, options),
    explainStartError: (error) => explainStartFailure(error, url)?.error,
    warnings: [],
    shortenTimeouts: () => watchdog.shortenTimeouts(),
    async close() {
      await notices.close()
      await Promise.race([pool.end(), new Promise<void>((resolve) => afterSeconds(closeTimeoutSeconds, resolve))])
      watchdog.close()
    },
  }
}

/** Each statement takes a free connection. */
function createReadConnection(withSession: <R>(use: (session: Session) => Promise<R>) => Promise<R>): Connection {
  const send = (text: string, values: readonly SqlValue[]) =>
    withSession((session) => session.send({ text, name: preparedStatementName(text), values }))
  return {
    async all<R>(text: string, values: readonly SqlValue[]) {
      return (await send(text, values)).rows as R[]
    },
    async run(text, values) {
      return (await send(text, values)).rowCount ?? 0
    },
    async runEach(text, rows) {
      let changed = 0
      for (const values of rows) changed += (await send(text, values)).rowCount ?? 0
      return changed
    },
    async script(text) {
      await withSession((session) => session.script(text))
    },
  }
}

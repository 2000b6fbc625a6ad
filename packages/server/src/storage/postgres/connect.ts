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

/** How long a caller waits for a free connection. */
const acquireTimeoutSeconds = 4

/** How long the connections may take to close. */
const closeTimeoutSeconds = 1

/**
 * Timeouts after which the database ends the work of a frozen or unreachable replica, in milliseconds unless noted. A replica can hold two
 * transactions, one waiting for the locks of the other, so other replicas wait for up to twice the first timeout.
 */
const sessionSettings = (statementSeconds: number): Readonly<Record<string, string>> => ({
  idle_in_transaction_session_timeout: '900',
  lock_timeout: '3000',
  statement_timeout: String(Math.round(statementSeconds * 1000)),
  // Detects a lost client while a statement runs or waits for a lock.
  client_connection_check_interval: '1000',
  tcp_user_timeout: '5000',
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
})

/** A migration has no time limit. One whose server is frozen is cancelled after a minute. */
const maintenanceSettings = { idle_in_transaction_session_timeout: '60000', lock_timeout: '0', statement_timeout: '0' } as const

/**
 * The statements of writes select rows by their ids only, so they need no plan for their values. The planner prefers one for arrays, which takes a third of
 * the time of a transaction.
 */
const writerSettings = { plan_cache_mode: 'force_generic_plan' } as const

/** Two, so that a transaction that waits for a lock does not block all writes. More writers only make batches smaller. */
const writersMax = 2

export function openPostgres(url: string, options: PostgresOptions): Pool {
  const settings = sessionSettings(options.statementTimeoutSeconds)
  const watchdog = new Watchdog({ url, timeoutSeconds: options.statementTimeoutSeconds + 5 })
  const open = (max: number, settings: Readonly<Record<string, string>>) =>
    openSessionPool(url, { max, settings, watchdog, onError: options.onError })
  const writers = open(Math.min(writersMax, options.poolSize), { ...settings, ...writerSettings })
  const readers = options.poolSize > writersMax ? open(options.poolSize - writersMax, settings) : writers
  const notifications = openNotifications(url)

  return {
    dialect: postgres,
    reads: createReadConnection(readers.withSession),
    writersMax: Math.min(writersMax, options.poolSize),
    withWriter: (use) => writers.withSession((session) => use(new PostgresWriter(session, notifications.statement))),
    withMaintenance: (use) =>
      writers.withSession(async (session) => {
        session.isUnlimited = true
        await session.configure(maintenanceSettings)
        try {
          return await use(new PostgresWriter(session, notifications.statement))
        } finally {
          session.abandon(new Error('Connection terminated: maintenance is done'))
        }
      }),
    listen: (bus) => notifications.listen(bus),
    waitUntilReachable: (options) => waitForServer(() => writers.withSession(async () => undefined), url, options),
    explainStartError: (error) => explainStartFailure(error, url)?.error,
    warnings: [],
    shortenTimeouts: () => watchdog.shortenTimeouts(),
    async close() {
      await notifications.close()
      await Promise.race([
        Promise.all([writers.end(), readers === writers || readers.end()]),
        new Promise<void>((resolve) => afterSeconds(closeTimeoutSeconds, resolve)),
      ])
      watchdog.close()
    },
  }
}

interface SessionPoolOptions {
  readonly max: number
  readonly settings: Readonly<Record<string, string>>
  readonly watchdog: Watchdog
  onError(error: Error): void
}

interface SessionPool {
  withSession<R>(use: (session: Session) => Promise<R>): Promise<R>
  end(): Promise<void>
}

function openSessionPool(url: string, { max, settings, watchdog, onError }: SessionPoolOptions): SessionPool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'millrace',
    connectionTimeoutMillis: acquireTimeoutSeconds * 1000,
    Client: Session as unknown as new () => pg.Client,
    onConnect(client) {
      watchdog.add(client as Session)
      return (client as Session).configure(settings)
    },
  })
  pool.on('error', onError)
  pool.on('acquire', (client) => {
    ;(client as unknown as Session).isIdle = false
  })
  pool.on('release', (_error, client) => {
    ;(client as unknown as Session).isIdle = true
  })
  return {
    async withSession<R>(use: (session: Session) => Promise<R>): Promise<R> {
      const client = await pool.connect()
      const session = client as unknown as Session
      try {
        return await use(session)
      } finally {
        client.release(session.lost)
      }
    },
    end: () => pool.end(),
  }
}

/** Runs each statement on a free connection. */
function createReadConnection(withSession: <R>(use: (session: Session) => Promise<R>) => Promise<R>): Connection {
  const send = (text: string, values: readonly SqlValue[]) =>
    withSession((session) => session.send([{ text, name: preparedStatementName(text), values }]))
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

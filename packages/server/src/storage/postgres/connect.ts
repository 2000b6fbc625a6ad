import pg from 'pg'
import { afterSeconds } from '../../lib/time.ts'
import type { Connection, SqlValue } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { postgres } from './dialect.ts'
import { openNotifications } from './notifications.ts'
import { checkConnection, checkDirectUrl, poolerKeepsNames, poolerWarnings, prepareSession } from './pooler.ts'
import { preparedStatementName, Session } from './session.ts'
import { explainStartFailure, waitForServer } from './startup-errors.ts'
import { Watchdog } from './watchdog.ts'
import { PostgresWriter } from './writer.ts'

export interface PostgresOptions {
  readonly poolSize: number
  readonly statementTimeoutSeconds: number
  /** URL of the same database without a pooler in between, for LISTEN, migrations and the watchdog. */
  readonly directUrl?: string | undefined
  /** Whether statements are prepared by name. `auto` finds out whether a pooler keeps them. */
  readonly preparedStatements?: 'auto' | 'on' | 'off'
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

export function openPostgres(url: string, options: PostgresOptions): Pool {
  const settings = sessionSettings(options.statementTimeoutSeconds)
  const { directUrl, preparedStatements = 'auto' } = options
  const maintenanceUrl = directUrl ?? url
  const watchdog = new Watchdog({ url: maintenanceUrl, timeoutSeconds: options.statementTimeoutSeconds + 5 })
  const warnings: string[] = []
  /** Whether a pooler keeps statements that are prepared by name. */
  let poolerNames = preparedStatements === 'on'
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    application_name: 'millrace',
    connectionTimeoutMillis: acquireTimeoutSeconds * 1000,
    Client: Session as unknown as new () => pg.Client,
    async onConnect(client) {
      const session = client as Session
      watchdog.add(session)
      await prepareSession(session, settings)
      session.usesNames = preparedStatements !== 'off' && (!session.isPooled || poolerNames)
    },
  })
  pool.on('error', options.onError)
  pool.on('acquire', (client) => {
    ;(client as unknown as Session).isIdle = false
  })
  pool.on('release', (_error, client) => {
    ;(client as unknown as Session).isIdle = true
  })
  const notifications = openNotifications(maintenanceUrl, { isDirect: directUrl !== undefined })

  async function withSession<R>(use: (session: Session) => Promise<R>): Promise<R> {
    const client = await pool.connect()
    const session = client as unknown as Session
    try {
      return await use(session)
    } finally {
      client.release(session.lost)
    }
  }

  /** Finds out what a pooler in between cannot do. */
  async function inspectPooler(): Promise<void> {
    const isPooled = await withSession(async (session) => session.isPooled)
    if (directUrl !== undefined && (await checkDirectUrl(url, directUrl))) warnings.push(poolerWarnings.directUrlIsPooled)
    if (!isPooled) return
    if (directUrl === undefined) warnings.push(poolerWarnings.noDirectUrl)
    if (preparedStatements !== 'auto') return
    poolerNames = await poolerKeepsNames(url)
    await withSession(async (session) => {
      session.usesNames = poolerNames
    })
    if (!poolerNames) warnings.push(poolerWarnings.noNames)
  }

  return {
    dialect: postgres,
    reads: createReadConnection(withSession),
    // Two, so that one batch collects while another executes. More writers only make batches smaller (16 clients: 241 lifecycles per second with
    // one or two writers, 219 with four).
    writersMax: Math.min(2, options.poolSize),
    withWriter: (use) => withSession((session) => use(new PostgresWriter(session, notifications.statement))),
    async withMaintenance(use) {
      const session = new Session({ connectionString: maintenanceUrl, application_name: 'millrace' })
      session.isUnlimited = true
      try {
        await session.connect()
        watchdog.add(session)
        await prepareSession(session, { ...settings, ...maintenanceSettings })
        session.usesNames = !session.isPooled
        return await use(new PostgresWriter(session, notifications.statement))
      } finally {
        session.abandon(new Error('Connection terminated: maintenance is done'))
      }
    },
    listen: (bus) => notifications.listen(bus),
    async waitUntilReachable(options) {
      await waitForServer(async () => (await pool.connect()).release(), url, options)
      if (directUrl !== undefined) await waitForServer(() => checkConnection(directUrl), directUrl, options)
      await inspectPooler()
    },
    explainStartError: (error) => explainStartFailure(error, url)?.error,
    warnings,
    shortenTimeouts: () => watchdog.shortenTimeouts(),
    async close() {
      await notifications.close()
      await Promise.race([pool.end(), new Promise<void>((resolve) => afterSeconds(closeTimeoutSeconds, resolve))])
      watchdog.close()
    },
  }
}

/** Runs each statement on a free connection. */
function createReadConnection(withSession: <R>(use: (session: Session) => Promise<R>) => Promise<R>): Connection {
  const send = (text: string, values: readonly SqlValue[]) =>
    withSession((session) => {
      const statement = { text, name: preparedStatementName(text), values }
      return session.isPooled ? session.sendAlone(statement) : session.send(statement)
    })
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

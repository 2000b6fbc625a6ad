import { afterSeconds } from '../../lib/time.ts'
import type { Pool } from '../pool.ts'
import { postgres } from './dialect.ts'
import { openNotifications } from './notifications.ts'
import { checkConnection, checkDirectUrl, poolerKeepsNames, poolerWarnings, prepareSession } from './pooler.ts'
import { openReadReplica } from './read-replica.ts'
import { Session } from './session.ts'
import { createReadConnection, openSessionPool } from './session-pool.ts'
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
  /** A read replica for lists, counts and histories. */
  readonly replica?: { readonly url: string; readonly lagSecondsMax: number } | undefined
  /** For tests of one server. */
  readonly assumesAlone?: boolean | undefined
  /** Called when an idle connection breaks; the pool replaces it. */
  onError(error: Error): void
}

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
  // Of statements outside of a transaction: a serializable one can fail.
  default_transaction_isolation: 'read committed',
  // The planner overestimates many lookups in one statement, such as those of a history, and would compile what takes milliseconds.
  jit: 'off',
})

/** A migration has no time limit. One whose server is frozen is cancelled after a minute. */
const maintenanceSettings = { idle_in_transaction_session_timeout: '60000', lock_timeout: '0', statement_timeout: '0' } as const

/**
 * Statements that select rows by their ids only, such as those of writes, need no plan for their values. The planner prefers one for arrays, which takes a
 * third of the time of a transaction.
 */
const keySettings = {
  plan_cache_mode: 'force_generic_plan',
  // A plan that is made for an empty table would read all of it, and be used until the table is analyzed: a run with a task then took twice the time.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const

/** One transaction serves many clients. A command that waits longer for a lock waits on a connection of the readers, see `withWaitingWriter`. */
const sharedSettings = { lock_timeout: '100' } as const

/** Two, so that a transaction that waits for a lock does not block all writes. More writers only make batches smaller. */
const writersMax = 2

/** Two, so that a broken connection does not stop all reads of single rows. */
const keyReadersMax = 2

export function openPostgres(url: string, options: PostgresOptions): Pool {
  const settings = sessionSettings(options.statementTimeoutSeconds)
  const { directUrl, preparedStatements = 'auto', poolSize, onError } = options
  const maintenanceUrl = directUrl ?? url
  const timeoutSeconds = options.statementTimeoutSeconds + 5
  const watchdog = new Watchdog({ url: maintenanceUrl, timeoutSeconds })
  const warnings: string[] = []
  /** Whether a pooler keeps statements that are prepared by name. */
  let poolerNames = preparedStatements === 'on'
  const usesNames = ({ isPooled }: Session) => preparedStatements !== 'off' && (!isPooled || poolerNames)
  const open = (max: number, settings: Readonly<Record<string, string>>) => openSessionPool(url, { max, settings, watchdog, usesNames, onError })
  // A small pool has no connections for reads alone.
  const writers = open(Math.min(writersMax, poolSize), poolSize > writersMax ? { ...settings, ...keySettings, ...sharedSettings } : settings)
  const keyReaders = poolSize > writersMax + keyReadersMax ? open(keyReadersMax, { ...settings, ...keySettings }) : undefined
  const reservedSize = writersMax + (keyReaders ? keyReadersMax : 0)
  const readers = poolSize > reservedSize ? open(poolSize - reservedSize, settings) : writers
  const reads = createReadConnection(readers)
  const replica = options.replica && openReadReplica({ ...options.replica, primary: reads, max: poolSize, settings, timeoutSeconds, onError })
  const notifications = openNotifications(maintenanceUrl, { isDirect: directUrl !== undefined, assumesAlone: options.assumesAlone })

  /** Finds out what a pooler in between cannot do. */
  async function inspectPooler(): Promise<void> {
    const isPooled = await writers.withSession(async (session) => session.isPooled)
    if (directUrl !== undefined && (await checkDirectUrl(url, directUrl))) warnings.push(poolerWarnings.directUrlIsPooled)
    if (!isPooled) return
    if (directUrl === undefined) warnings.push(poolerWarnings.noDirectUrl)
    if (preparedStatements !== 'auto') return
    poolerNames = await poolerKeepsNames(url)
    if (!poolerNames) warnings.push(poolerWarnings.noNames)
  }

  return {
    dialect: postgres,
    reads,
    keyReads: keyReaders && createReadConnection(keyReaders),
    replica,
    writersMax: Math.min(writersMax, poolSize),
    withWriter: (use) => writers.withSession((session) => use(new PostgresWriter(session, notifications.statement))),
    ...(readers === writers
      ? {}
      : { withWaitingWriter: (use) => readers.withSession((session) => use(new PostgresWriter(session, notifications.statement))) }),
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
      await waitForServer(() => writers.withSession(async () => undefined), url, options)
      if (directUrl !== undefined) await waitForServer(() => checkConnection(directUrl), directUrl, options)
      await inspectPooler()
    },
    explainStartError: (error) => explainStartFailure(error, url)?.error,
    warnings,
    shortenTimeouts: () => watchdog.shortenTimeouts(),
    async close() {
      await notifications.close()
      await Promise.race([
        Promise.all([writers.end(), keyReaders?.end(), readers === writers || readers.end(), replica?.close()]),
        new Promise<void>((resolve) => afterSeconds(closeTimeoutSeconds, resolve)),
      ])
      watchdog.close()
    },
  }
}

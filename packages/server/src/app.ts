import { type App, type AppOptions, assembleApp } from './assemble-app.ts'
import { connectionsPerProcess } from './config/processes.ts'
import type { Config } from './config.ts'
import { checkKeys } from './domains/blocks/key-store.ts'
import { type MachineClock, machineClock, systemClock } from './lib/time.ts'
import { type ClockSync, followDatabaseClock } from './storage/clock-sync.ts'
import { checkSchema, migrate } from './storage/migrate.ts'
import { onlineSteps } from './storage/online-steps.ts'
import type { Pool, ReadPool } from './storage/pool.ts'
import { openPostgres } from './storage/postgres/connect.ts'
import { readMigratedObjects, type SchemaObject } from './storage/schema-objects.ts'
import { openSqlite, openSqliteForReading, type SqliteOptions } from './storage/sqlite/connect.ts'

export type { App, AppOptions }

/**
 * Opens the database and builds a server that does not listen yet. `main.ts` starts it; tests call it. Throws a `StartupError` if the database or
 * the keys cannot be used.
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, machine = machineClock() } = options
  const holder = { name: options.lockHolderName ?? 'another server', now: options.clock?.now() ?? machine.wall() }
  const pool = openPool(config, options.skipsFileLock ? {} : { holder }, options)
  try {
    checkKeys(config)
    await pool.waitUntilReachable?.({ timeoutSeconds: config.database.connect_timeout_seconds, onWait: options.onWait ?? (() => {}) })
    const sync = options.clock ? undefined : await startClockSync(pool, machine)
    const clock = options.clock ?? sync?.clock ?? systemClock()
    await (config.database.migrate_on_start ? migrate(pool, clock, { onProgress: options.onWait }) : checkSchema(pool))
    await pool.start?.()
    return await assembleApp({ pool, clock, sync }, options)
  } catch (error) {
    await pool.close().catch(() => undefined)
    throw pool.explainStartError(error) ?? error
  }
}

export type DatabaseOptions = Pick<AppOptions, 'config' | 'lockHolderName' | 'onWait'>

/** Applies the pending migrations without a server, and returns their names. */
export async function migrateDatabase(options: DatabaseOptions): Promise<readonly string[]> {
  const machine = machineClock()
  const pool = openPool(options.config, { holder: { name: options.lockHolderName ?? 'a migration', now: machine.wall() } })
  return usePool(pool, options, async () =>
    migrate(pool, (await startClockSync(pool, machine))?.clock ?? systemClock(), { onProgress: options.onWait }),
  )
}

/** Reads the database without a server, or beside one. `read` gets undefined if the SQLite file does not exist. */
export async function readDatabase<R>(options: DatabaseOptions, read: (pool: ReadPool | undefined) => Promise<R>): Promise<R> {
  const { config } = options
  const pool = config.database.url.startsWith('sqlite:') ? openSqliteForReading(config.database.url) : openPool(config, {})
  return pool ? usePool(pool, options, () => read(pool)) : read(undefined)
}

/** Runs statements that cannot be part of a transaction, such as the build of an index beside running servers. */
export async function maintainDatabase(options: DatabaseOptions, statements: readonly string[]): Promise<void> {
  const pool = openPool(options.config, { holder: { name: options.lockHolderName ?? 'a repair', now: machineClock().wall() } })
  await usePool(pool, options, () =>
    pool.withMaintenance(async (connection) => {
      for (const statement of statements) await onlineSteps[pool.dialect.name].runOnline(connection, statement)
    }),
  )
}

/** Makes the schema of the applied migrations in a transaction that is rolled back, and reads it. SQLite does it in memory. */
export function readMigratedSchema({ config, ...options }: DatabaseOptions, applied: ReadonlySet<number>): Promise<SchemaObject[]> {
  const isSqlite = config.database.url.startsWith('sqlite:')
  const pool = isSqlite ? openSqlite('sqlite::memory:', {}) : openPool(config, {})
  return usePool(pool, { config, ...options }, () =>
    pool.withMaintenance((connection) => readMigratedObjects(connection, pool.dialect.name, applied)),
  )
}

async function usePool<R>(pool: ReadPool, { config, onWait = () => {} }: DatabaseOptions, use: () => Promise<R>): Promise<R> {
  try {
    await pool.waitUntilReachable?.({ timeoutSeconds: config.database.connect_timeout_seconds, onWait })
    return await use()
  } catch (error) {
    throw pool.explainStartError(error) ?? error
  } finally {
    await pool.close()
  }
}

/** Returns undefined for a database without a clock of its own. */
async function startClockSync({ dialect, reads }: Pool, machine: MachineClock): Promise<ClockSync | undefined> {
  return dialect.clockQuery === null ? undefined : followDatabaseClock(reads, dialect.clockQuery, machine)
}

type SharingOptions = Pick<AppOptions, 'processes' | 'assumesAlone'>

function openPool(config: Config, options: SqliteOptions, { processes = 1, assumesAlone = false }: SharingOptions = {}): Pool {
  const { url, direct_url, read_url, read_max_lag_seconds, prepared_statements, statement_timeout_seconds } = config.database
  if (url.startsWith('sqlite:')) return openSqlite(url, options)
  return openPostgres(url, {
    poolSize: connectionsPerProcess(config, processes),
    statementTimeoutSeconds: statement_timeout_seconds,
    directUrl: direct_url || undefined,
    preparedStatements: prepared_statements,
    replica: read_url ? { url: read_url, lagSecondsMax: read_max_lag_seconds } : undefined,
    assumesAlone,
    onError: () => {},
  })
}

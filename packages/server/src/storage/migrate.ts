import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { afterSeconds, type Clock, waitSeconds } from '../lib/time.ts'
import { version } from '../version.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { migrationTable, rejectForeignDatabase } from './foreign-database.ts'
import { type MigrationStep, splitSteps, statementsOf } from './migration-steps.ts'
import { onlineSteps } from './online-steps.ts'
import type { Pool } from './pool.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  /** Whether a server without this migration must not start on a schema that has it. */
  readonly breaking: boolean
  readonly up: string
}

export interface MigrateOptions {
  readonly known?: readonly Migration[]
  /** Called while a migration takes long. */
  readonly onProgress?: ((message: string) => void) | undefined
}

const noNotifications: ReadonlySet<string> = new Set()

const createMigrationTable = `create table if not exists ${migrationTable} (
  number integer primary key, name text not null, breaking integer not null, applied bigint not null
)`

/**
 * Applies the numbered SQL files. The row of a migration is inserted by its last transaction, before the statements, so that two servers cannot both
 * apply it.
 */
export async function migrate(
  pool: Pool,
  clock: Clock,
  { known = migrationsOf(pool.dialect.name), onProgress = () => {} }: MigrateOptions = {},
): Promise<readonly string[]> {
  return pool.withMaintenance(async (connection) => {
    await listOwnedTables(pool.dialect, connection)
    await ensureMigrationTable(connection)
    await rejectNewerSchema(connection, known)
    const numbers = await readAppliedNumbers(connection)
    const pending = known.filter(({ number }) => !numbers.has(number))
    const applied: string[] = []
    for (const [index, migration] of pending.entries()) {
      const stop = reportProgress(onProgress, `migration ${migration.name} (${index + 1} of ${pending.length})`)
      try {
        if (await applyMigration(pool.dialect, connection, migration, clock)) applied.push(migration.name)
      } finally {
        stop()
      }
    }
    return applied
  })
}

/** After one second, and then every five, so that a new database, which takes less, reports nothing. */
function reportProgress(onProgress: (message: string) => void, what: string): () => void {
  const report = (seconds: number): (() => void) =>
    afterSeconds(seconds === 0 ? 1 : 5, () => {
      onProgress(seconds === 0 ? `Applying ${what} …` : `Applying ${what}, for ${seconds} seconds now …`)
      stop = report(seconds === 0 ? 6 : seconds + 5)
    })
  let stop = report(0)
  return () => stop()
}

/** For a server that must not migrate: throws unless it can run on the schema. */
export async function checkSchema(pool: Pool): Promise<void> {
  const [missing] = await listPendingMigrations(pool)
  if (missing === undefined) return
  throw new StartupError(
    'databaseUnusable',
    `The database lacks migration ${missing}, and MILLRACE_DATABASE_MIGRATE_ON_START is off. Apply it with \`millrace db migrate\`, or turn the setting on for one start of this version.`,
  )
}

/** Names of the migrations that the schema lacks. Throws if a newer version has changed the schema. */
export async function listPendingMigrations({ dialect, reads }: Pick<Pool, 'dialect' | 'reads'>): Promise<string[]> {
  const known = migrationsOf(dialect.name)
  const tables = await listOwnedTables(dialect, reads)
  if (!tables.includes(migrationTable)) return known.map(({ name }) => name)
  await rejectNewerSchema(reads, known)
  const applied = await readAppliedNumbers(reads)
  return known.filter(({ number }) => !applied.has(number)).map(({ name }) => name)
}

async function readAppliedNumbers(connection: Connection): Promise<ReadonlySet<number>> {
  const rows = await connection.all<{ number: number }>(`select number from ${migrationTable}`, [])
  return new Set(rows.map(({ number }) => number))
}

/** No migration ever had the numbers 007 to 009; gaps are harmless, because migrations are ordered and recorded by number. */
export function migrationsOf(dialect: 'sqlite' | 'postgres'): Migration[] {
  const folder = join(import.meta.dirname, dialect, 'migrations')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.up.sql'))
    .sort()
    .map((file) => {
      const up = readFileSync(join(folder, file), 'utf8')
      const heading = /^-- (\d+)_(\S+) \u00b7 breaking: (yes|no)/.exec(up)
      if (!heading) throw new Error(`Migration ${file} must begin with "-- NNN_name · breaking: yes|no"`)
      return { number: Number(heading[1]), name: `${heading[1]}_${heading[2]}`, breaking: heading[3] === 'yes', up }
    })
}

/**
 * When several servers start on an empty database together, one creates the table. For the others PostgreSQL reports a duplicate table or type name in
 * spite of "if not exists"; the second attempt finds the table.
 */
const ensureMigrationTable = (connection: Connection): Promise<number> =>
  connection.run(createMigrationTable, []).catch(() => connection.run(createMigrationTable, []))

/** Excludes the tables of extensions. */
const tablesQuery = {
  sqlite: "select name, '' as database from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  postgres: `select relname as name, current_database() as database from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relname`,
}

/** Lists the existing tables and rejects those of another program. A SQLite file is already checked when it is opened, before any change to it. */
async function listOwnedTables(dialect: Dialect, connection: Connection): Promise<readonly string[]> {
  const rows = await connection.all<{ name: string; database: string }>(tablesQuery[dialect.name], [])
  const names = rows.map(({ name }) => name)
  rejectForeignDatabase(names, `"${rows[0]?.database}"`, 'URL')
  return names
}

async function rejectNewerSchema(connection: Connection, known: readonly Migration[]): Promise<void> {
  const latest = known.at(-1)?.number ?? 0
  const [newer] = await connection.all<{ name: string }>(
    `select name from ${migrationTable} where number > $1 and breaking = 1 order by number limit 1`,
    [latest],
  )
  if (!newer) return
  throw new StartupError(
    'databaseUnusable',
    `The database has migration ${newer.name}, which Millrace ${version} does not know. Start the newer version that applied it, or restore a backup from before the upgrade.`,
  )
}

async function applyMigration(dialect: Dialect, connection: WriteConnection, migration: Migration, clock: Clock): Promise<boolean> {
  if (await isApplied(connection, migration)) return false
  try {
    const steps = splitSteps(migration.up)
    const last = steps.at(-1)?.kind === 'transaction' ? steps.pop() : undefined
    if (steps.length === 0) return await runTransaction(dialect, connection, last?.text, { migration, now: clock.now() })
    return await onlineSteps[dialect.name].withMigrationLock(connection, async () => {
      // Another server may have applied it while this one waited.
      if (await isApplied(connection, migration)) return false
      for (const step of steps) await runStep(dialect, connection, step)
      return runTransaction(dialect, connection, last?.text, { migration, now: clock.now() })
    })
  } catch (error) {
    throw new Error(`Migration ${migration.name} failed`, { cause: error })
  }
}

const isApplied = async (connection: Connection, { number }: Migration): Promise<boolean> =>
  (await connection.all(`select 1 from ${migrationTable} where number = $1`, [number])).length > 0

async function runStep(dialect: Dialect, connection: WriteConnection, { kind, text, isOptional }: MigrationStep): Promise<void> {
  try {
    if (kind === 'transaction') await runTransaction(dialect, connection, text)
    else for (const statement of statementsOf(text)) await onlineSteps[dialect.name].runOnline(connection, statement)
  } catch (error) {
    if (!isOptional || dialect.isUnavailable(error)) throw error
  }
}

/** How often a transaction that waits too long for a lock is tried, and how long others may use the table in between. */
const lockAttemptsMax = 100
const lockPauseSeconds = 2

/**
 * Runs statements in one transaction. It waits for a lock for less than a second, because everybody else who needs the table waits behind
 * it; then it tries again. Returns false if another server has recorded the migration.
 */
async function runTransaction(
  dialect: Dialect,
  connection: WriteConnection,
  text: string | undefined,
  recorded?: { readonly migration: Migration; readonly now: number },
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    await connection.begin()
    try {
      if (recorded && !(await recordMigration(connection, recorded.migration, recorded.now))) {
        await connection.commit(noNotifications)
        return false
      }
      if (dialect.limitLockWait !== null) await connection.script(dialect.limitLockWait)
      if (text !== undefined) await connection.script(text)
      await connection.commit(noNotifications)
      return true
    } catch (error) {
      await connection.rollback().catch(() => undefined)
      if (attempt >= lockAttemptsMax || !dialect.isTimeout(error)) throw error
      await waitSeconds(lockPauseSeconds)
    }
  }
}

/** Waits for another server that applies the same migration. */
const recordMigration = async (connection: Connection, { number, name, breaking }: Migration, now: number): Promise<boolean> =>
  (await connection.run(`insert into ${migrationTable} (number, name, breaking, applied) values ($1, $2, $3, $4) on conflict do nothing`, [
    number,
    name,
    breaking ? 1 : 0,
    now,
  ])) > 0

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import type { Clock } from '../lib/time.ts'
import { version } from '../version.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { migrationTable, rejectForeignDatabase } from './foreign-database.ts'
import type { Pool } from './pool.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  /** Whether a server without this migration must not start on a schema that has it. */
  readonly breaking: boolean
  readonly up: string
}

const noNotifications: ReadonlySet<string> = new Set()

const createMigrationTable = `create table if not exists ${migrationTable} (
  number integer primary key, name text not null, breaking integer not null, applied bigint not null
)`

/** Applies the numbered SQL files, each in one transaction. The migration row is inserted first, so that two servers cannot both apply it. */
export async function migrate(pool: Pool, clock: Clock): Promise<readonly string[]> {
  const known = migrationsOf(pool.dialect.name)
  return pool.withMaintenance(async (connection) => {
    await listOwnedTables(pool.dialect, connection)
    await ensureMigrationTable(connection)
    await rejectNewerSchema(connection, known)
    const applied: string[] = []
    for (const migration of known) {
      if (await applyMigration(connection, migration, clock.now())) applied.push(migration.name)
    }
    return applied
  })
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
  const rows = await reads.all<{ number: number }>(`select number from ${migrationTable}`, [])
  const applied = new Set(rows.map(({ number }) => number))
  return known.filter(({ number }) => !applied.has(number)).map(({ name }) => name)
}

/** No migration ever had the numbers 007 to 009; gaps are harmless, because migrations are ordered and recorded by number. */
export function migrationsOf(dialect: 'sqlite' | 'postgres'): Migration[] {
  const folder = join(import.meta.dirname, dialect, 'migrations')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.up.sql'))
    .sort()
    .map((file) => {
      const up = readFileSync(join(folder, file), 'utf8')
      const heading = /^-- (\d+)_(\S+) · breaking: (yes|no)/.exec(up)
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

async function applyMigration(connection: WriteConnection, { number, name, breaking, up }: Migration, now: number): Promise<boolean> {
  const [done] = await connection.all(`select 1 from ${migrationTable} where number = $1`, [number])
  if (done) return false
  await connection.begin()
  try {
    const claimed = await connection.run(
      `insert into ${migrationTable} (number, name, breaking, applied) values ($1, $2, $3, $4) on conflict do nothing`,
      [number, name, breaking ? 1 : 0, now],
    )
    if (claimed > 0) await connection.script(up)
    await connection.commit(noNotifications)
    return claimed > 0
  } catch (error) {
    await connection.rollback().catch(() => undefined)
    throw new Error(`Migration ${name} failed`, { cause: error })
  }
}

import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Clock, toMicros } from '../src/lib/time.ts'
import { migrate } from '../src/storage/migrate.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { sharedPostgres } from './postgres/shared-postgres.ts'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

const templateName = 'millrace_template'

const migrationClock: Clock = { now: () => toMicros('2030-01-01T00:00:00Z') }

/** Databases that each test process keeps ready: PostgreSQL copies the next one while a test runs. */
const readyCopiesMax = 2

/** Module state is allowed here: these values depend on the test run only, and each takes longer to make than most tests. */
const perRun: { sqliteTemplate?: Promise<string>; postgresTemplate?: Promise<void>; readyCopies: Promise<TestDatabase>[] } = { readyCopies: [] }

/** A new folder that is removed at the end of the run. */
export const newFolder = (prefix = 'test'): string => mkdtempSync(join(inject('scratchFolder'), `${prefix}-`))

/** A path of a migrated SQLite file: a copy of one template, which takes about a millisecond. */
export async function migratedSqliteFile(): Promise<string> {
  perRun.sqliteTemplate ??= migrateSqliteTemplate()
  const file = join(newFolder(), 'test.db')
  copyFileSync(await perRun.sqliteTemplate, file)
  return file
}

export async function migratedSqlite(): Promise<TestDatabase> {
  const file = await migratedSqliteFile()
  return { url: `sqlite:${file}`, drop: async () => rmSync(join(file, '..'), { recursive: true, force: true }) }
}

/** An empty database on the PostgreSQL server of this run. */
export const emptyPostgres = (): Promise<TestDatabase> => createPostgres()

export async function migratedPostgres(): Promise<TestDatabase> {
  perRun.postgresTemplate ??= migratePostgresTemplate()
  await perRun.postgresTemplate
  const database = perRun.readyCopies.shift() ?? createPostgres(templateName)
  while (perRun.readyCopies.length < readyCopiesMax) {
    const copy = createPostgres(templateName)
    // The run may end, and its PostgreSQL server with it, before the copy is complete.
    copy.catch(() => {})
    perRun.readyCopies.push(copy)
  }
  return database
}

async function createPostgres(template?: string): Promise<TestDatabase> {
  const cluster = await sharedPostgres()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  return {
    url: await cluster.createDatabase(name, template),
    // Not awaited: the name is used once, and the next test needs no disk space back.
    drop: async () => void cluster.dropDatabase(name).catch(() => {}),
  }
}

async function migratePostgresTemplate(): Promise<void> {
  const cluster = await sharedPostgres()
  await cluster.ensureTemplate(templateName, async (url) => {
    const pool = openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 60, onError: () => {} })
    await migrate(pool, migrationClock)
    await pool.close()
  })
}

async function migrateSqliteTemplate(): Promise<string> {
  const file = join(newFolder('template'), 'template.db')
  const pool = openSqlite(`sqlite:${file}`)
  await migrate(pool, migrationClock)
  await pool.close()
  return file
}

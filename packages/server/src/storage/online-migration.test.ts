import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres, migratedSqlite } from '../../test/databases.ts'
import { testClock } from '../../test/setup.ts'
import { type Migration, migrate, migrationsOf } from './migrate.ts'
import { planMigrations } from './migration-plan.ts'
import type { Pool } from './pool.ts'
import { openPostgres } from './postgres/connect.ts'
import { openSqlite } from './sqlite/connect.ts'

const withMigration = (up: string): Migration[] => [
  ...migrationsOf('postgres'),
  { number: 900, name: '900_test', breaking: false, up: `-- 900_test · breaking: no\n${up}` },
]

async function openDatabase() {
  const { url, drop } = await migratedPostgres()
  const open = (): Pool => openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 60, onError: () => {} })
  const pools = [open(), open()] as const
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    for (const pool of pools) await pool.close()
    await drop()
  })
  const isValid = async (name: string) =>
    (await other.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [name])).rows[0]?.indisvalid
  const isRecorded = async () => (await other.query('select 1 from millrace_migration where number = 900')).rowCount === 1
  return { pool: pools[0], second: pools[1], other, isValid, isRecorded }
}

const onlineIndex = '-- step: online\ncreate index concurrently test_online on flow (created);\n'

test('an online index is built while another transaction writes to the table', async () => {
  const { pool, other, isValid, isRecorded } = await openDatabase()
  await other.query('begin')
  await other.query(`insert into flow values (gen_random_uuid(), 1, 1, 'a', '[]', '{}')`)
  const migration = migrate(pool, testClock(), { known: withMigration(onlineIndex) })
  // A plain `create index` would block this write until it is done, and wait for this transaction.
  await other.query(`insert into flow values (gen_random_uuid(), 1, 1, 'b', '[]', '{}')`)
  await other.query('commit')
  expect(await migration).toEqual(['900_test'])
  expect([await isValid('test_online'), await isRecorded()]).toEqual([true, true])
})

test('an index that an interrupted build has left is built again', async () => {
  const { pool, other, isValid, isRecorded } = await openDatabase()
  await other.query(`insert into flow select gen_random_uuid(), 1, 1, 'same' || n, '[]', '{}' from generate_series(1, 2) n`)
  const unique = '-- step: online\ncreate unique index concurrently test_online on flow (created);\n'
  await expect(migrate(pool, testClock(), { known: withMigration(unique) })).rejects.toThrow('Migration 900_test failed')
  expect([await isValid('test_online'), await isRecorded()]).toEqual([false, false])
  await other.query('delete from flow')
  expect(await migrate(pool, testClock(), { known: withMigration(unique) })).toEqual(['900_test'])
  expect([await isValid('test_online'), await isRecorded()]).toEqual([true, true])
  expect(await migrate(pool, testClock(), { known: withMigration(unique) })).toEqual([])
})

test('an optional step may fail', async () => {
  const { pool, other, isRecorded } = await openDatabase()
  const optional = '-- step: online, optional\ncreate extension no_such_extension;\n-- step: transaction\ncreate table test_after (a int);\n'
  expect(await migrate(pool, testClock(), { known: withMigration(optional) })).toEqual(['900_test'])
  expect(await isRecorded()).toBe(true)
  await other.query('select * from test_after')
})

test('servers that start together run online steps once', async () => {
  const { pool, second, isValid } = await openDatabase()
  const steps = '-- step: online\ncreate table test_once (a int);\ncreate index concurrently test_online on flow (created);\n'
  const applied = await Promise.all([pool, second].map((each) => migrate(each, testClock(), { known: withMigration(steps) })))
  expect(applied.flat()).toEqual(['900_test'])
  expect(await isValid('test_online')).toBe(true)
})

test('a transaction that cannot get a lock lets others continue and tries again', async () => {
  const { pool, second, other, isRecorded } = await openDatabase()
  await other.query('begin')
  await other.query('select * from flow')
  const reported: string[] = []
  const onProgress = (message: string) => reported.push(message)
  const migration = migrate(pool, testClock(), { known: withMigration('alter table flow add column test_column int;\n'), onProgress })
  // Waits behind the migration for less than a second, again and again.
  let longest = 0
  for (const end = performance.now() + 2500; performance.now() < end; ) {
    const from = performance.now()
    await second.reads.all('select count(*) from flow', [])
    longest = Math.max(longest, performance.now() - from)
  }
  expect(await isRecorded()).toBe(false)
  await other.query('commit')
  expect(await migration).toEqual(['900_test'])
  expect(longest).toBeLessThan(1500)
  expect(reported[0]).toBe('Applying migration 900_test (1 of 1) …')
})

test('a plan shows the rows and the lock of each statement', async () => {
  const { pool, other } = await openDatabase()
  await other.query(`insert into flow select gen_random_uuid(), 1, 1, 'f' || n, '[]', '{}' from generate_series(1, 1000) n`)
  await other.query('analyze flow')
  await other.query('delete from millrace_migration where number in (14, 18, 19, 20)')
  const plan = await planMigrations(pool.dialect, pool.reads)
  expect(plan.map(({ name }) => name)).toEqual(['014_zombie_detection', '018_name_search', '019_finished_run_counts', '020_run_history_slots'])
  expect(plan[1]?.statements).toMatchObject([
    { statement: 'create extension if not exists pg_trgm', table: null, lock: 'none', isOptional: true },
    { table: 'flow_run', lock: 'none', rows: 0, isOptional: true },
  ])
  expect(plan[2]?.statements.slice(-2)).toMatchObject([
    { statement: `select millrace_recount_finished_runs('flow_run')`, table: 'flow_run', lock: 'none' },
    { statement: `select millrace_recount_finished_runs('task_run')`, table: 'task_run', lock: 'none' },
  ])
  expect(plan[3]?.statements.filter(({ statement }) => statement.startsWith('select millrace_recount_runs'))).toMatchObject([
    { table: 'flow_run', lock: 'none' },
    { table: 'task_run', lock: 'none' },
  ])
  await other.query('delete from millrace_migration')
  const statements = (await planMigrations(pool.dialect, pool.reads)).flatMap((migration) => migration.statements)
  expect(statements.find(({ statement }) => statement.startsWith('create unique index flow_by_name'))).toMatchObject({
    table: 'flow',
    rows: 1000,
    lock: 'short',
  })
  expect(statements.filter(({ statement }) => statement.startsWith('create index') && statement.includes(' on work_pool '))).toEqual([])
})

test('a plan on SQLite counts rows and has no locks', async () => {
  const { url, drop } = await migratedSqlite()
  const pool = openSqlite(url)
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  await pool.withMaintenance(async (connection) => {
    await connection.script(
      `insert into flow values ('a', 1, 1, 'a', '[]', '{}'), ('b', 1, 1, 'b', '[]', '{}'); delete from millrace_migration where number in (1, 23)`,
    )
    await connection.script(
      `insert into flow_run (id, created, updated, flow_id, name, parameters, context, empirical_policy, tags, labels, auto_scheduled, job_variables,
        run_count, total_run_time) values ('a', 1, 1, 'a', 'a', '{}', '{}', '{}', '[]', '{}', 0, '{}', 0, 0)`,
    )
  })
  const [initial, names] = await planMigrations(pool.dialect, pool.reads)
  expect(initial?.statements.find(({ statement }) => statement.startsWith('create unique index flow_by_name'))).toMatchObject({
    rows: 2,
    lock: 'none',
  })
  const written = names?.statements.filter(({ statement }) => statement.startsWith('insert'))
  expect(written).toMatchObject([
    { table: 'flow_run', rows: 1, lock: 'none' },
    { table: 'flow_run', rows: 1, lock: 'none' },
  ])
  expect(await planMigrations(pool.dialect, undefined)).toHaveLength(migrationsOf('sqlite').length)
})

test('a migration that adds columns to tables of runs ends the sessions of earlier servers, and no other', async () => {
  const { url, drop } = await migratedPostgres()
  const pool = openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 60, onError: () => {} })
  const connectAs = async (application_name: string) => {
    const client = new pg.Client({ connectionString: url, application_name })
    const ended = new Promise<string>((resolve) => client.on('error', ({ message }) => resolve(message)))
    await client.connect()
    return { client, ended }
  }
  const [server, busy, migrating, other] = await Promise.all(['millrace', 'millrace', 'millrace', 'psql'].map(connectAs))
  if (!server || !busy || !migrating || !other) throw new Error('four sessions')
  onTestFinished(async () => {
    await Promise.all([migrating, other].map(({ client }) => client.end()))
    await pool.close()
    await drop()
  })
  const down = readFileSync(join(import.meta.dirname, 'postgres/migrations/037_flow_run_attempt.down.sql'), 'utf8')
  await other.client.query(`${down}; delete from millrace_migration where number = 37;
    insert into flow values ('0f0f0f0f-0000-4000-8000-000000000000', 1, 1, 'a', '[]', '{}');
    insert into flow_run (id, created, updated, flow_id, name, parameters, context, empirical_policy, tags, labels, auto_scheduled, job_variables, run_count,
      total_run_time) values (gen_random_uuid(), 1, 1, '0f0f0f0f-0000-4000-8000-000000000000', 'a', '{}', '{}', '{}', '[]', '{}', false, '{}', 0, 0)`)
  await server.client.query({ name: 'all', text: 'select * from flow_run' })
  await migrating.client.query('select pg_try_advisory_lock(1)')
  // Reads no table of runs, so that it may finish.
  const read = busy.client.query('select pg_sleep(0.3)')
  expect(await migrate(pool, testClock())).toEqual(['037_flow_run_attempt'])
  expect((await read).rowCount).toBe(1)
  expect(await Promise.all([server.ended, busy.ended])).toEqual(Array(2).fill('terminating connection due to administrator command'))
  for (const { client } of [migrating, other]) expect((await client.query('select attempt from flow_run')).rows).toEqual([{ attempt: '0' }])
})

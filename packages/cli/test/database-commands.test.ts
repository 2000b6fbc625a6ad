import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrationsOf } from '../../server/src/storage/migrate.ts'
import { createSqliteSource } from '../../server/test/adopt/sources.ts'
import { emptyPostgres, migratedPostgres, newFolder } from '../../server/test/databases.ts'
import { freePort } from '../../server/test/free-port.ts'
import { cliServer, runCli } from './cli-test.ts'

const names = (dialect: 'sqlite' | 'postgres') => migrationsOf(dialect).map(({ name }) => name)

describe('db migrate', () => {
  test('lists the pending migrations of a missing file without creating it', async () => {
    const file = join(newFolder(), 'm.db')
    const argv = ['db', 'migrate', '--dry-run', '--database', `sqlite:${file}`]
    const { code, stdout } = await runCli(argv)
    expect({ code, lines: stdout.split('\n').slice(0, 2) }).toEqual({
      code: 0,
      lines: [`Pending: ${names('sqlite').length} migrations:`, '  001_initial'],
    })
    expect(JSON.parse((await runCli([...argv, '-o', 'json'])).stdout)).toEqual({ pending: names('sqlite') })
    expect(existsSync(file)).toBe(false)
  })

  test('applies all migrations once, on SQLite and PostgreSQL', async () => {
    const postgres = await emptyPostgres()
    for (const [dialect, url] of [
      ['sqlite', `sqlite:${join(newFolder(), 'm.db')}`],
      ['postgres', postgres.url],
    ] as const) {
      const first = await runCli(['db', 'migrate', '--database', url, '-o', 'json'])
      expect(JSON.parse(first.stdout)).toEqual({ applied: names(dialect) })
      expect(await runCli(['db', 'migrate'], { env: { MILLRACE_DATABASE_URL: url } })).toEqual({
        code: 0,
        stdout: 'The database schema is up to date.\n',
        stderr: '',
      })
      expect(JSON.parse((await runCli(['db', 'migrate', '--dry-run', '--database', url, '-o', 'json'])).stdout)).toEqual({ pending: [] })
    }
    await postgres.drop()
  })

  test('reports a database that cannot be used', async () => {
    const file = join(newFolder(), 'x.db')
    writeFileSync(file, 'not a database, but long enough to be read as one'.repeat(100))
    for (const flags of [[], ['--dry-run']]) {
      expect(await runCli(['db', 'migrate', '--database', `sqlite:${file}`, ...flags])).toMatchObject({
        code: 22,
        stderr: expect.stringMatching(/^\S+x\.db is not a SQLite database/),
      })
    }
    expect(await runCli(['db', 'migrate', '--database', 'mysql://x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Error: --database: must begin with'),
    })
    const unreachable = `postgres://user@127.0.0.1:${await freePort()}/x`
    const result = await runCli(['db', 'migrate', '--dry-run', '--database', unreachable], {
      env: { MILLRACE_DATABASE_CONNECT_TIMEOUT_SECONDS: '0' },
    })
    expect(result).toMatchObject({ code: 23, stdout: '' })
  })
})

describe('a running server', () => {
  const server = cliServer()

  test('reports its size and retention', async () => {
    await server.app.call('POST', '/api/flows/', { name: 'f' })
    const size = await server.millrace('db', 'size')
    expect(size.stdout).toMatch(/^TABLE +ROWS +SIZE +OLDEST\nevents .*\nlogs .*\nflow_runs .*\n\nThe database has \S+ [kM]B\.\n$/)
    expect(await server.json('db', 'size')).toEqual({
      database_bytes: expect.any(Number),
      tables: [
        { name: 'events', rows: expect.any(Number), bytes: null, oldest: expect.stringMatching(/^2030-/) },
        { name: 'logs', rows: 0, bytes: null, oldest: null },
        { name: 'flow_runs', rows: 0, bytes: null, oldest: null },
      ],
    })
    const retention = await server.millrace('retention', 'show')
    expect(retention.stdout).toMatch(
      /^KIND +KEPT FOR +OLDEST +ROWS +SIZE +REMOVED +LAST PASS\nevents +7 days +in \d+d +\d+ +0\nlogs +90 days +0 +0\nflow_runs +unlimited +0 +0\n\nThe database has \S+ [kM]B\.\n$/,
    )
    expect(await server.json('retention', 'show')).toMatchObject({
      adopted_until: null,
      kinds: [{ kind: 'events', retention_days: 7 }, { kind: 'logs' }, { kind: 'flow_runs' }],
    })
  })

  test('can be measured by its database file', async () => {
    await server.app.call('POST', '/api/logs/', [{ name: 'x', level: 20, message: 'm', timestamp: '2030-01-01T00:00:00Z', flow_run_id: null }])
    const { code, stdout } = await runCli(['db', 'size', '--database', server.databaseUrl, '-o', 'json'])
    expect(code).toBe(0)
    const { tables, database_bytes } = JSON.parse(stdout)
    const byName = new Map(tables.map((table: { name: string }) => [table.name, table]))
    expect(byName.get('log')).toEqual({ name: 'log', rows: 1, bytes: expect.any(Number), oldest: '2030-01-01T00:00:00Z' })
    expect(byName.get('flow')).toMatchObject({ rows: 1, oldest: null })
    const bytes = tables.reduce((sum: number, table: { bytes: number }) => sum + table.bytes, 0)
    expect(bytes).toBeGreaterThan(database_bytes / 2)
    expect(bytes).toBeLessThanOrEqual(database_bytes)
  })

  test('holds the lock of its file', async () => {
    for (const argv of [
      ['db', 'migrate'],
      ['retention', 'include-adopted'],
      ['secrets', 'rotate'],
    ]) {
      expect(await runCli([...argv, '--database', server.databaseUrl])).toMatchObject({
        code: 21,
        stderr: expect.stringContaining('is in use by another server'),
      })
    }
  })
})

test('db plan shows the cost of pending migrations and changes nothing', async () => {
  const file = join(newFolder(), 'm.db')
  const argv = ['db', 'plan', '--database', `sqlite:${file}`]
  const empty = await runCli(argv)
  expect(empty).toMatchObject({ code: 0, stdout: expect.stringMatching(/MIGRATION +STATEMENT +TABLE +ROWS +LOCK +TIME\n001_initial +create table/) })
  expect(empty.stdout).toContain('The server on this file has to be stopped meanwhile.')
  expect(JSON.parse((await runCli([...argv, '-o', 'json'])).stdout).migrations).toHaveLength(names('sqlite').length)
  expect(existsSync(file)).toBe(false)

  const postgres = await emptyPostgres()
  expect((await runCli(['db', 'plan', '--database', postgres.url])).stdout).toContain('Other servers can use the database meanwhile.')
  await runCli(['db', 'migrate', '--database', postgres.url])
  expect((await runCli(['db', 'plan', '--database', postgres.url])).stdout).toBe('The database schema is up to date.\n')
  await postgres.drop()
})

test('db size measures PostgreSQL with partitions as one table', async () => {
  const postgres = await migratedPostgres()
  const { tables } = JSON.parse((await runCli(['db', 'size', '--database', postgres.url, '-o', 'json'])).stdout)
  const found = tables.map(({ name }: { name: string }) => name)
  expect(new Set(found).size).toBe(found.length)
  expect(found).toEqual(expect.arrayContaining(['event', 'log', 'flow_run']))
  expect(found.filter((name: string) => /^event_\d|^log_\d/.test(name))).toEqual([])
  await postgres.drop()
})

test('db size reports a missing file and a database of an older version', async () => {
  const folder = newFolder()
  expect(await runCli(['db', 'size', '--database', `sqlite:${folder}/none.db`])).toMatchObject({
    code: 25,
    stderr: expect.stringContaining('There is no database'),
  })
  const empty = `sqlite:${folder}/empty.db`
  writeFileSync(join(folder, 'empty.db'), '')
  expect(await runCli(['db', 'size', '--database', empty])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lacks migration 001_initial. Apply it with `millrace db migrate`'),
  })
})

test('adopt, retention and secrets print JSON', async () => {
  const database = `sqlite:${join(newFolder(), 'm.db')}`
  const adopted = await runCli(['adopt', createSqliteSource(), '--database', database, '-o', 'json'])
  expect(adopted.code).toBe(0)
  expect(JSON.parse(adopted.stdout)).toMatchObject({ mismatched: [], rows: expect.any(Number), seconds: expect.any(Number) })
  expect(JSON.parse(adopted.stdout).lines).toContainEqual({ noun: 'flow runs', source: 20, adopted: 20, skipped: 0, reason: '' })
  expect(adopted.stderr).toMatch(/^[\d,]+ rows to copy\nblock types: 4\n/)
  const argv = ['retention', 'include-adopted', '--database', database]
  expect(JSON.parse((await runCli([...argv, '-o', 'json'])).stdout)).toEqual({ changed: true })
  expect((await runCli(argv)).stdout).toBe('Retention already applies to all data.\n')
  expect(JSON.parse((await runCli(['secrets', 'rotate', '--database', database, '-o', 'json'])).stdout)).toEqual({ rotated: 4 })
  const missing = await runCli(['secrets', 'rotate', '--database', database, '--new-key-file', '/nonexistent/key'])
  expect(missing).toMatchObject({ code: 2, stderr: 'Error: Cannot read /nonexistent/key (ENOENT)\n' })
  const keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, 'a new key of the file')
  const configured = await runCli(['secrets', 'rotate', '--database', database, '--new-key-file', keyFile], {
    env: { MILLRACE_SERVER_ENCRYPTION_KEY: 'the key of the setting' },
  })
  expect(configured).toMatchObject({ code: 2, stderr: expect.stringContaining('MILLRACE_SERVER_ENCRYPTION_KEY is set.') })
})

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { emptyPostgres, migratedPostgres } from './databases.ts'
import { type PgBouncer, pgbouncerVersion, startPgBouncer } from './postgres/pgbouncer.ts'
import { isFullProof } from './proof-size.ts'
import { startServerProcess } from './server-process.ts'
import { startApp } from './setup.ts'

const version = pgbouncerVersion()
if (version === undefined)
  process.stdout.write('PgBouncer is not installed: its tests are skipped. Install the Debian package pgbouncer to run them.\n')
const keepsNames = version !== undefined && Number(version.split('.')[1]) >= 21

async function startPooler(settings: Record<string, string> = {}, database = migratedPostgres()): Promise<{ direct: string; pooler: PgBouncer }> {
  const { url: direct, drop } = await database
  const pooler = await startPgBouncer(direct, settings)
  onTestFinished(async () => {
    await pooler.stop()
    await drop()
  })
  return { direct, pooler }
}

const noErrors = { onError: () => undefined }

describe.skipIf(version === undefined)(`PgBouncer ${version} in transaction mode`, () => {
  test('a server works through it with notifications on a direct connection', async () => {
    const { direct, pooler } = await startPooler()
    const env = { MILLRACE_DATABASE_DIRECT_URL: direct, MILLRACE_DATABASE_POOL_SIZE: '10' }
    const apps = [await startApp(pooler.url, { env, seed: 1 }), await startApp(pooler.url, { env, seed: 2 })]
    onTestFinished(async () => {
      for (const app of apps) await app.close()
    })
    expect(apps[0]?.warnings ?? []).toEqual(keepsNames ? expect.anything() : [expect.stringMatching(/prepared by name/)])
    const heard = new Promise((resolve) => void apps[1]?.context.bus.on('events', resolve))
    const { body: flow } = await (apps[0] as (typeof apps)[0]).call('POST', '/flows/', { name: 'f' })

    // Many transactions of two servers at once, on five backends.
    const lifecycle = async (n: number): Promise<void> => {
      const call = async (path: string, body: unknown) => {
        const answer = await (apps[n % 2] as (typeof apps)[0]).call('POST', path, body)
        expect([answer.status, path]).toEqual([expect.toBeOneOf([200, 201]), path])
        return answer.body
      }
      const run = await call('/flow_runs/', { flow_id: flow.id, name: `run ${n}`, state: { type: 'PENDING' } })
      await call(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
      await call('/flow_runs/filter', { flow_runs: { id: { any_: [run.id] } } })
      await call(`/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED' } })
    }
    await Promise.all(Array.from({ length: 40 }, (_, n) => lifecycle(n)))
    await heard
    const { body: count } = await (apps[1] as (typeof apps)[0]).call('POST', '/flow_runs/count', {})
    expect(count).toBe(40)
  })

  test('applies the settings of a session to every transaction, and leaves none behind', async () => {
    const { direct, pooler } = await startPooler({ default_pool_size: '1' })
    const pool = openPostgres(pooler.url, { poolSize: 2, statementTimeoutSeconds: 7, directUrl: direct, ...noErrors })
    onTestFinished(() => pool.close())
    const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name`
    const expected = { statement: '7s', lock: '3s', idle: '900ms', name: expect.stringMatching(/^millrace -?\d+$/) }
    expect(await pool.reads.all(settings, [])).toEqual([expected])
    await pool.withWriter(async (writer) => {
      await writer.begin()
      expect(await writer.all(settings, [])).toEqual([expected])
      await writer.commit(new Set(['topic']))
      // An empty transaction that only notifies.
      await writer.begin()
      await writer.commit(new Set(['topic']))
    })
    // The only backend of the pool, used by another client.
    const client = new pg.Client({ connectionString: pooler.url })
    await client.connect()
    expect((await client.query(settings)).rows[0]).toMatchObject({ statement: '0', lock: '0', idle: '0' })
    await client.end()
  })

  test('cancels a read after the statement timeout, and a frozen transaction after the idle timeout', async () => {
    const { direct, pooler } = await startPooler()
    const pool = openPostgres(pooler.url, { poolSize: 2, statementTimeoutSeconds: 0.3, directUrl: direct, ...noErrors })
    onTestFinished(() => pool.close())
    const failure = await pool.reads.all('select pg_sleep(20)', []).catch((error) => error)
    expect(pool.dialect.isTimeout(failure)).toBe(true)
    await pool.withWriter(async (writer) => {
      await writer.begin()
      await writer.all('select 1', [])
      const admin = new pg.Client({ connectionString: direct })
      await admin.connect()
      const open = async () =>
        (await admin.query(`select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`)).rowCount
      await expect.poll(open, { timeout: 5000 }).toBe(0)
      await admin.end()
      const error = await writer.all('select 1', []).catch((caught) => caught)
      expect(pool.dialect.unavailability(error)).toBe('lost')
    })
    // PgBouncer may still give away the backend that has just ended.
    await expect.poll(() => pool.reads.all('select 1 as one', []).catch(String)).toEqual([{ one: 1 }])
  })

  test.runIf(isFullProof)(
    'keeps a slow statement and finds it by its application name',
    async () => {
      const { direct, pooler } = await startPooler()
      const pool = openPostgres(pooler.url, { poolSize: 2, statementTimeoutSeconds: 30, directUrl: direct, ...noErrors })
      onTestFinished(() => pool.close())
      // Longer than the watchdog waits for a statement that it does not find.
      expect(await pool.reads.all('select 1 as one from pg_sleep(8)', [])).toEqual([{ one: 1 }])
    },
    30_000,
  )

  test('migrates an empty database, with and without a direct URL', async () => {
    for (const isDirect of [true, false]) {
      const { direct, pooler } = await startPooler({}, emptyPostgres())
      const env = { MILLRACE_DATABASE_URL: pooler.url, ...(isDirect ? { MILLRACE_DATABASE_DIRECT_URL: direct } : {}) }
      const app = await buildApp({ config: readConfig(env, []).config })
      const { statusCode } = await app.server.inject({ method: 'POST', url: '/flows/', payload: { name: 'f' } })
      expect(statusCode).toBe(201)
      const warnings = app.warnings.join('\n')
      if (isDirect) expect(warnings).not.toContain('MILLRACE_DATABASE_DIRECT_URL')
      else expect(warnings).toContain('Set MILLRACE_DATABASE_DIRECT_URL to the address of PostgreSQL itself')
      await app.close()
    }
  }, 60_000)

  test('rejects a direct URL of another database', async () => {
    const { pooler } = await startPooler()
    const { url: other, drop } = await emptyPostgres()
    onTestFinished(drop)
    const config = readConfig({ MILLRACE_DATABASE_URL: pooler.url, MILLRACE_DATABASE_DIRECT_URL: other }, []).config
    await expect(buildApp({ config })).rejects.toThrow(/DIRECT_URL leads to another database/)
  })

  test.runIf(keepsNames)('prepares statements by name where PgBouncer keeps them', async () => {
    const { direct, pooler } = await startPooler({ max_prepared_statements: '500' })
    const app = await startApp(pooler.url, { env: { MILLRACE_DATABASE_DIRECT_URL: direct } })
    onTestFinished(() => app.close())
    expect(app.warnings).toEqual([])
    const statuses = await Promise.all(Array.from({ length: 50 }, (_, n) => app.call('POST', '/flows/', { name: `f ${n}` })))
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([201]))
    const admin = new pg.Client({ connectionString: pooler.url })
    await admin.connect()
    expect((await admin.query('select 1 from pg_prepared_statements limit 1')).rowCount).toBe(1)
    await admin.end()
  })

  test('several processes share its connections', async () => {
    const { direct, pooler } = await startPooler({ default_pool_size: '3' })
    const env = { MILLRACE_DATABASE_DIRECT_URL: direct, MILLRACE_SERVER_PROCESSES: '2' }
    const server = await startServerProcess(pooler.url, [], env)
    onTestFinished(() => void server.child.kill('SIGKILL'))
    const { id } = await server.post('/flows/', { name: 'f' })
    const runs = await Promise.all(
      Array.from({ length: 60 }, () => server.post('/flow_runs/', { flow_id: id, name: randomUUID(), state: { type: 'PENDING' } })),
    )
    expect(new Set(runs.map((run) => run.id)).size).toBe(60)
    expect(await server.kill('SIGTERM')).toBe(0)
  }, 60_000)
})

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { replicationSettings, startPostgres } from './postgres/launcher.ts'
import { startServerProcess } from './server-process.ts'

/** A server looks twice for others, every two seconds. */
const aloneAfterMs = 6000

/** A primary whose synchronous standby is cut off commits locally and must not acknowledge anything, until the standby is back or given up. */
test.each([
  { server: 'one of several servers', isAlone: false },
  { server: 'a server that is alone', isAlone: true },
])('$server does not acknowledge a write that no standby has when a client repeats it', { timeout: 120_000 }, async ({ isAlone }) => {
  const postgres = await startPostgres({ durable: true, settings: { fsync: 'off' } })
  onTestFinished(() => postgres.stop())
  const url = await postgres.createDatabase('isolated')
  const server = await startServerProcess(url, ['--no-services'], { MILLRACE_SERVER_LOG_LEVEL: 'fatal' })
  onTestFinished(() => server.kill('SIGKILL').then(() => undefined))
  const { id: flowId } = await server.post('/flows/', { name: 'f' })
  const run = await server.post('/flow_runs/', { flow_id: flowId, state: { type: 'PENDING' } })
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  onTestFinished(() => admin.end())
  if (isAlone) await pause(aloneAfterMs)
  else {
    const other = new pg.Client({ connectionString: url, application_name: 'millrace listener' })
    await other.connect()
    onTestFinished(() => other.end())
  }
  const requireStandby = async (name: string) => {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`)
    await admin.query('select pg_reload_conf()')
  }
  await requireStandby('absent')

  const key = randomUUID()
  const transition = { state: { type: 'RUNNING', state_details: { transition_id: randomUUID() } } }
  const eventId = randomUUID()
  const requests: readonly (readonly [path: string, body: unknown])[] = [
    ['/flow_runs/', { flow_id: flowId, idempotency_key: key, state: { type: 'PENDING' } }],
    [`/flow_runs/${run.id}/set_state`, transition],
    ['/events', [{ id: eventId, occurred: '2030-01-01T00:00:00Z', event: 'e', resource: { 'prefect.resource.id': 'r' } }]],
    ['/flows/', { name: 'new' }],
  ]
  const send = async ([path, body]: readonly [string, unknown], limitMs: number): Promise<number> => {
    const signal = AbortSignal.timeout(limitMs)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal }
    return fetch(`${server.url}/api${path}`, init).then(
      ({ status }) => status,
      () => 0,
    )
  }
  for (const request of requests) {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      statuses.push(await send(request, 400))
      // As a client of another server, or of this one after a reconnect: all writers are free.
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
    }
    expect(
      statuses.filter((status) => status !== 0 && status !== 503),
      request[0],
    ).toEqual([])
  }
  await requireStandby('')
  for (const request of requests) expect(await send(request, 20_000), request[0]).toBeLessThan(300)
})

test.each([
  { transaction: 'reads only', statements: ['select 1 as n'] },
  { transaction: 'does nothing', statements: [] },
])('a transaction that $transaction is refused on a standby', { timeout: 120_000 }, async ({ statements }) => {
  const primary = await startPostgres({ settings: replicationSettings })
  onTestFinished(() => primary.stop())
  const standby = await startPostgres({ settings: replicationSettings, standbyOf: primary.adminUrl })
  onTestFinished(() => standby.stop())
  const pool = openPostgres(standby.adminUrl, { poolSize: 4, statementTimeoutSeconds: 10, onError: () => {} })
  onTestFinished(() => pool.close())
  const commit = pool.withWriter(async (writer) => {
    await writer.begin()
    for (const statement of statements) await writer.all(statement, [])
    await writer.commit(new Set())
  })
  const error = await commit.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: '25006' })
  expect(pool.dialect.unavailability(error)).toBe('refusing')
})

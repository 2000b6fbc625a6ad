import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createReplicaFactory } from '../../test/replicas.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { statement, type Tx } from './database.ts'

const replicas = createReplicaFactory()

const pidOf = statement('select pg_backend_pid() as pid')
const rename = statement('update flow set name = $2 where id = $1')
const namesOf = async ({ context }: TestApp) =>
  (await context.reads.all<{ name: string }>(statement('select name from flow order by name'))).map(({ name }) => name)

async function startWithAdmin() {
  const { apps, url } = await replicas(1)
  const app = apps[0] as TestApp
  const admin = new pg.Client({ connectionString: url })
  // The database is dropped before the connection is closed.
  admin.on('error', () => {})
  await admin.connect()
  onTestFinished(() => admin.end())
  const end = (pid: number) => admin.query('select pg_terminate_backend($1, 5000)', [pid])
  const { body: flow } = await app.call('POST', '/flows/', { name: 'a' })
  return { app, admin, end, flow }
}

test('runs a transaction that was idle for too long again on another connection', async () => {
  const { app, flow } = await startWithAdmin()
  let tries = 0
  const result = await app.context.commands.submit(async (tx) => {
    tries += 1
    await tx.run(rename, [flow.id, `try ${tries}`])
    // Simulates a frozen process.
    if (tries === 1) await pause(1500)
    return tx.run(rename, [flow.id, `done by ${tries}`])
  })
  expect([result, tries, await namesOf(app)]).toEqual([1, 2, ['done by 2']])
})

test('runs commands again, each once, when the connection breaks before the commit', async () => {
  const { app, end } = await startWithAdmin()
  const tries = [0, 0]
  const command = (index: number) => async (tx: Tx) => {
    tries[index] = (tries[index] ?? 0) + 1
    await tx.insert('flow', [{ id: app.context.newId(), created: 1, updated: 1, name: `n${index}`, tags: '[]', labels: '{}' }])
    const pid = (await tx.first<{ pid: number }>(pidOf))?.pid as number
    if (index === 1 && tries[1] === 1) await end(pid)
    return index
  }
  expect(await Promise.all([app.context.commands.submit(command(0)), app.context.commands.submit(command(1))])).toEqual([0, 1])
  expect(tries).toEqual([2, 2])
  expect(await namesOf(app)).toEqual(['a', 'n0', 'n1'])
  expect(await app.call('GET', '/ready')).toMatchObject({ status: 200 })
})

test('rejects with 503 and does not retry a commit whose response is lost', async () => {
  const { app, admin, end, flow } = await startWithAdmin()
  let tries = 0
  await admin.query('begin; select pg_advisory_xact_lock(7277001)')
  let pid = 0
  const changed = app.context.commands.submit(async (tx) => {
    tries += 1
    pid = (await tx.first<{ pid: number }>(pidOf))?.pid as number
    await tx.run(rename, [flow.id, 'b'])
    tx.emit({
      checkedUntil: 0,
      id: app.context.newId(),
      occurred: 1,
      event: 'e',
      resource: { 'prefect.resource.id': 'r' },
      related: [],
      payload: '{}',
      follows: null,
    })
  })
  const refused = expect(changed).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE', headers: { 'retry-after': '1' } })
  // The commit waits for the log lock.
  await expect
    .poll(async () => (await admin.query(`select 1 from pg_stat_activity where pid = $1 and wait_event = 'advisory'`, [pid])).rowCount, {
      timeout: 5000,
    })
    .toBe(1)
  await end(pid)
  await refused
  await admin.query('rollback')
  expect(tries).toBe(1)
  expect(await namesOf(app)).toEqual(['a'])
  expect((await app.call('POST', '/flows/', { name: 'c' })).status).toBe(201)
})

test('answers 503 to a write that waits too long for a lock, and commits the others', async () => {
  const { app, admin, flow } = await startWithAdmin()
  await admin.query('begin')
  await admin.query('select 1 from flow where id = $1 for update', [flow.id])
  const [blocked, free] = await Promise.all([app.call('PATCH', `/flows/${flow.id}`, { tags: ['x'] }), app.call('POST', '/flows/', { name: 'free' })])
  expect(blocked).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
  expect(blocked.headers['retry-after']).toBe('1')
  expect(free.status).toBe(201)
  await admin.query('rollback')
  expect((await app.call('PATCH', `/flows/${flow.id}`, { tags: ['x'] })).status).toBe(204)
}, 30_000)

test('reports not ready while writes are stalled', async () => {
  const { app, admin } = await startWithAdmin()
  await admin.query('begin; lock table flow in exclusive mode')
  const waiting = app.call('POST', '/flows/', { name: 'later' })
  await expect
    .poll(async () => (await app.call('GET', '/ready')).body.detail, { timeout: 10_000 })
    .toMatch(/no write has completed for \d seconds|the last write failed/)
  expect((await app.call('GET', '/ready')).status).toBe(503)
  await admin.query('rollback')
  await waiting
}, 30_000)

test('reports not ready on a read-only database', async () => {
  const { app, admin } = await startWithAdmin()
  await admin.query(`do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`)
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`)
  await expect.poll(async () => (await app.call('GET', '/ready')).body.detail, { timeout: 10_000 }).toContain('it is read-only')
  expect(await app.call('POST', '/flows/', { name: 'b' })).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
})

eachDialect('the write queue', (setup) => {
  test('sends no statement for a command that runs none', async () => {
    const { context } = await setup()
    expect(await context.commands.submit(async () => 'done')).toBe('done')
    expect(context.writeQueue.stallReason()).toBeUndefined()
  })

  test('undoes the writes of a failed command only', async () => {
    const app = await setup()
    const { commands, newId } = app.context
    const tries: Record<string, number> = {}
    const insert = (name: string) => async (tx: Tx) => {
      tries[name] = (tries[name] ?? 0) + 1
      await tx.insert('flow', [{ id: newId(), created: 1, updated: 1, name, tags: '[]', labels: '{}' }])
      if (name === 'b') throw new Error('no b')
      return name
    }
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => commands.submit(insert(name))))
    expect(results).toMatchObject([{ value: 'a' }, { reason: { message: 'no b' } }, { value: 'c' }])
    expect(await namesOf(app)).toEqual(['a', 'c'])
    // The others run again in halves until the failed one is alone.
    expect(tries).toEqual({ a: 3, b: 3, c: 1 })
  })
})

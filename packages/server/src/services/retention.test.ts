import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { formatTime, toMicros } from '../lib/time.ts'
import { statement } from '../storage/database.ts'
import { flushSegments } from './event-segments.ts'
import { retention } from './retention.ts'

const runPass = (app: TestApp) => retention.runOnce(app.context, new AbortController().signal)
const at = (app: TestApp, daysAgo: number) => formatTime(app.context.clock.now() - Math.round(daysAgo * 86_400_000_000))
const event = (app: TestApp, daysAgo: number, name = 'e') => ({
  id: app.context.newId(),
  occurred: at(app, daysAgo),
  event: name,
  resource: { 'prefect.resource.id': `thing.${name}` },
  related: [{ 'prefect.resource.id': 'shared', 'prefect.resource.role': 'r' }],
})
const rowsOf = async (app: TestApp, table: string) =>
  Number((await app.context.reads.first<{ count: number }>(statement(`select count(*) as count from ${table}`)))?.count)

eachDialect('retention', (setup, dialect) => {
  test('removes old events and keeps counts correct', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_RETENTION_BATCH_SIZE: '3' } })
    await app.call(
      'POST',
      '/events',
      [9, 8.5, 8, 7.5, 7.2, 7.1, 7.01, 6.9, 1, 0].map((days, index) => event(app, days, `e${index % 2}`)),
    )
    expect(await runPass(app)).toMatchObject({ events: 7, logs: 0, flow_runs: 0 })
    expect((await app.call('POST', '/events/filter', { filter: { event: { prefix: ['e'] } } })).body).toMatchObject({ total: 3 })
    expect((await app.call('POST', '/events/filter', { filter: { related: { id: ['shared'] } } })).body).toMatchObject({ total: 3 })
    const counts = (await app.call('POST', '/events/count-by/event', { filter: {} })).body
    expect(counts.map(({ value, count }: { value: string; count: number }) => [value, count])).toEqual([
      ['e1', 2],
      ['e0', 1],
      ['millrace.retention.trimmed', 1],
    ])
    expect(await runPass(app)).toMatchObject({ events: 0 })
    // A pass that removes nothing emits no event.
    const removals = (await app.call('POST', '/events/filter', { filter: { event: { name: ['millrace.retention.trimmed'] } } })).body
    expect(removals).toMatchObject({
      total: 1,
      events: [{ resource: { 'prefect.resource.id': 'millrace.retention.events' }, payload: { kind: 'events', trimmed: 7, retention_days: 7 } }],
    })
  })

  test('removes old logs, and finished runs with their data only when configured', async () => {
    const app = await setup({ env: { MILLRACE_FLOW_RUNS_RETENTION_DAYS: '30', MILLRACE_SERVICES_RETENTION_BATCH_SIZE: '2' } })
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body
    const made: string[] = []
    for (const [type, daysAgo] of [
      ['COMPLETED', 31],
      ['RUNNING', 0],
      ['COMPLETED', 0],
    ] as const) {
      app.clock.advance(daysAgo === 31 ? 0 : 31 * 86_400)
      const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type } })).body
      made.push(id)
      const log = { name: 'l', level: 20, message: 'm', timestamp: at(app, 0), flow_run_id: id }
      await app.call('POST', '/logs/', [log, log, log, { ...log, timestamp: at(app, 100), flow_run_id: null }])
      await app.call('POST', '/task_runs/', { flow_run_id: id, task_key: 'k', dynamic_key: '0' })
      await app.call('POST', '/artifacts/', { flow_run_id: id, key: 'a', data: type })
    }
    expect(await runPass(app)).toMatchObject({ logs: 3, flow_runs: 1 })
    const left = (await app.call('POST', '/flow_runs/filter', {})).body.map(({ id }: { id: string }) => id)
    expect(left.sort()).toEqual(made.slice(1).sort())
    expect([await rowsOf(app, 'log'), await rowsOf(app, 'task_run'), await rowsOf(app, 'artifact')]).toEqual([6, 2, 2])
  })

  test('removes nothing without retention days', async () => {
    const app = await setup({ env: { MILLRACE_EVENTS_RETENTION_DAYS: 'none', MILLRACE_LOGS_RETENTION_DAYS: 'none' } })
    await app.call('POST', '/events', [event(app, 1000)])
    expect(await runPass(app)).toMatchObject({ events: 0, logs: 0, flow_runs: 0 })
    expect((await app.call('POST', '/events/filter', { filter: { occurred: { since: '2000-01-01' } } })).body.total).toBe(1)
  })

  test('reports its state', async () => {
    const app = await setup()
    expect((await app.call('GET', '/admin/retention')).body.kinds[0]).toMatchObject({
      kind: 'events',
      oldest: null,
      rows: 0,
      trimmed: 0,
      last_run: null,
    })
    await app.call('POST', '/events', [event(app, 9), event(app, 2), event(app, 1)])
    await runPass(app)
    const { status, body } = await app.call('GET', '/admin/retention')
    expect(status).toBe(200)
    expect(body.database_bytes).toBeGreaterThan(10_000)
    expect(body.kinds).toMatchObject([
      { kind: 'events', retention_days: 7, rows: 3, trimmed: 1, last_trimmed: 1, last_run: expect.any(String) },
      { kind: 'logs', retention_days: 90, rows: 0, oldest: null },
      { kind: 'flow_runs', retention_days: null, last_run: null },
    ])
    expect(toMicros(body.kinds[0].oldest)).toBeGreaterThan(app.context.clock.now() - 3 * 86_400_000_000)
  })

  test('removes old segments, and the old events of others', async () => {
    const app = await setup()
    const { signal } = new AbortController()
    await app.call(
      'POST',
      '/events',
      [9, 8, 8.5, 8, 9, 6, 8, 1, 3, 2, 1, 0.5, 8].map((days) => event(app, days)),
    )
    expect(await flushSegments(app.context, signal, 4)).toBe(3)
    expect(await runPass(app)).toMatchObject({ events: 7 })
    const segments = await app.context.reads.all(statement('select count from event_segment order by first'))
    expect(segments).toEqual([{ count: 2 }, { count: 4 }])
    expect((await app.call('POST', '/events/filter', { filter: { event: { name: ['e'] } } })).body).toMatchObject({ total: 6 })
    expect((await app.call('GET', '/admin/retention')).body.kinds[0]).toMatchObject({ rows: 7, trimmed: 7 })
    expect(await runPass(app)).toMatchObject({ events: 0 })
  })

  test('keeps a segment with few old events, and adopted events', async () => {
    const app = await setup()
    const { signal } = new AbortController()
    await app.call('POST', '/events', [event(app, 8), ...Array.from({ length: 15 }, () => event(app, 1))])
    expect(await flushSegments(app.context, signal, 16)).toBe(1)
    expect(await runPass(app)).toMatchObject({ events: 0 })
    await app.call('POST', '/events', [event(app, 20), event(app, 19), event(app, 9)])
    const keptUntil = app.context.clock.now() - 10 * 86_400_000_000
    await app.context.commands.submit((tx) =>
      tx.insert('adoption', [{ number: 1, source: 's', revision: 'r', started: 1, finished: 1, kept_until: keptUntil }]),
    )
    expect(await runPass(app)).toMatchObject({ events: 1 })
    const filter = { event: { name: ['e'] }, occurred: { since: '2029-06-01' } }
    expect((await app.call('POST', '/events/filter', { filter })).body.total).toBe(18)
  })

  test.runIf(dialect === 'postgres')('creates the weeks of the log before they come and drops them as a whole', async () => {
    const app = await setup()
    const weeks = async () =>
      (
        await app.context.reads.all<{ name: string }>(
          statement(`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'log'::regclass order by 1`),
        )
      ).map(({ name }) => name)
    await runPass(app)
    expect(await weeks()).toEqual(expect.arrayContaining(['log_20291227', 'log_20300103']))
    app.clock.advance(100 * 86_400)
    await runPass(app)
    expect(await weeks()).not.toContain('log_20291227')
  })

  test.runIf(dialect === 'sqlite')('the file shrinks by what was removed, but for some room for what comes next', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_RETENTION_BATCH_SIZE: '500' } })
    const pages = async () =>
      Number((await app.context.reads.first<{ pages: number }>(statement('select page_count as pages from pragma_page_count()')))?.pages)
    const large = (daysAgo: number) => ({ ...event(app, daysAgo), payload: { text: 'x'.repeat(10_000) } })
    for (let sent = 0; sent < 600; sent += 200)
      await app.call(
        'POST',
        '/events',
        Array.from({ length: 200 }, () => large(8)),
      )
    const before = await pages()
    const done = await runPass(app)
    expect(done).toMatchObject({ events: 600 })
    expect(done.freed_bytes).toBeGreaterThan(4_000_000)
    expect(await pages()).toBeLessThan(before - 1000)
    expect(await runPass(app)).toMatchObject({ events: 0, freed_bytes: 0 })
  })
})

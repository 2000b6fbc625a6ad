import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { formatTime } from '../lib/time.ts'

const event = (app: TestApp, name: string, more: object = {}) => ({
  id: app.context.newId(),
  occurred: formatTime(app.context.clock.now()),
  event: name,
  resource: { 'prefect.resource.id': `thing.${name}` },
  ...more,
})
const label = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`l${i}`, 'x']))
const related = (n: number) => Array.from({ length: n }, (_, i) => ({ 'prefect.resource.id': `r.${i}`, 'prefect.resource.role': 'r' }))

eachDialect('events', (setup) => {
  test.each<[string, object, (app: TestApp) => object[], (string | number)[]]>([
    ['name', { MILLRACE_EVENTS_MAXIMUM_NAME_LENGTH: '10' }, (app) => [event(app, 'ok'), event(app, 'x'.repeat(11))], ['body', 1, 'event']],
    [
      'related',
      { MILLRACE_EVENTS_MAXIMUM_RELATED_RESOURCES: '3' },
      (app) => [event(app, 'ok'), event(app, 'x', { related: related(4) })],
      ['body', 1, 'related'],
    ],
    [
      'labels',
      { MILLRACE_EVENTS_MAXIMUM_LABELS_PER_RESOURCE: '3' },
      (app) => [event(app, 'ok'), event(app, 'x', { resource: { 'prefect.resource.id': 'a', ...label(3) } })],
      ['body', 1, 'resource'],
    ],
    [
      'size',
      { MILLRACE_EVENTS_MAXIMUM_SIZE_BYTES: '1000' },
      (app) => [event(app, 'ok'), event(app, 'x', { payload: { ä: 'ä'.repeat(500) } })],
      ['body', 1],
    ],
  ])('rejects a request with an event above the limit of its %s', async (_what, env, events, loc) => {
    const app = await setup({ env: env as Record<string, string> })
    const { status, body } = await app.call('POST', '/events', events(app))
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc, msg: expect.stringMatching(/limit \d+ \(events\.maximum_/) }])
    expect(await app.eventNames()).toEqual([])
  })

  test('rejects too many events in a request', async () => {
    const app = await setup({ env: { MILLRACE_EVENTS_MAXIMUM_PER_REQUEST: '2' } })
    expect(
      await app.call(
        'POST',
        '/events',
        [1, 2, 3].map((n) => event(app, `e${n}`)),
      ),
    ).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } })
    expect(await app.eventNames()).toEqual([])
  })

  test('stores an id once within and across concurrent requests', async () => {
    const app = await setup()
    const events = ['a', 'b', 'c'].map((name) => event(app, name))
    const twice = [...events, { ...events[0], event: 'another' }]
    await Promise.all([1, 2, 3, 4].map(() => app.call('POST', '/events', twice)))
    expect(await app.eventNames()).toEqual(['a', 'b', 'c'])
    expect((await app.call('POST', '/events/filter', { filter: { resource: { id_prefix: ['thing.'] } } })).body.total).toBe(3)
    expect((await app.call('POST', '/events/count-by/event', { filter: {} })).body.map(({ count }: { count: number }) => count)).toEqual([1, 1, 1])
  })

  test('returns events as they were sent', async () => {
    const app = await setup()
    const sent = event(app, 'exact')
    await app.call('POST', '/events', `[${JSON.stringify(sent).slice(0, -1)},"payload":{"2":1.0,"1":12345678901234567890,"z":"\\u0000 ü"}}]`)
    const text = (await app.server.inject({ method: 'POST', url: '/events/filter', payload: '{}', headers: { 'content-type': 'application/json' } }))
      .body
    expect(text).toContain('"payload":{"2":1.0,"1":12345678901234567890,"z":"\\u0000 ü"}')
    expect(text).toContain(`"occurred":"${sent.occurred}"`)
  })

  test('continues pages after the last one, whatever is added meanwhile', async () => {
    const app = await setup({ env: { MILLRACE_SERVER_ALLOWED_HOSTS: 'millrace.example' } })
    const send = (...names: string[]) =>
      app.call(
        'POST',
        '/events',
        names.map((name) => event(app, name)),
      )
    await send('a', 'b', 'c', 'd', 'e')
    const first = await app.call('POST', '/api/events/filter', { limit: 2 }, { host: 'millrace.example' })
    expect(first.body).toMatchObject({ total: 5, events: [{ event: 'e' }, { event: 'd' }] })
    expect(first.body.next_page).toMatch(/^http:\/\/millrace\.example\/api\/events\/filter\/next\?page-token=[\w-]+$/)
    await send('f', 'g')
    const second = await app.call('GET', first.body.next_page.replace('http://millrace.example', ''))
    expect(second.body).toMatchObject({ total: 5, events: [{ event: 'c' }, { event: 'b' }] })
    const third = await app.call('GET', second.body.next_page.replace(/^https?:\/\/[^/]*/, ''))
    expect(third.body).toMatchObject({ total: 5, events: [{ event: 'a' }], next_page: null })
  })

  test('rejects a tampered page token', async () => {
    const app = await setup()
    await app.call(
      'POST',
      '/events',
      ['a', 'b', 'c'].map((name) => event(app, name)),
    )
    const { next_page } = (await app.call('POST', '/events/filter', { limit: 1 })).body
    const token = JSON.parse(Buffer.from(next_page.split('page-token=')[1], 'base64url').toString())
    const follow = (changed: object) =>
      app.call('GET', `/events/filter/next?page-token=${Buffer.from(JSON.stringify({ ...token, ...changed })).toString('base64url')}`)
    expect((await follow({})).status).toBe(200)
    for (const changed of [
      { limit: 1e9 },
      { filter: { event: { prefix: [5] } } },
      { filter: { colour: 1 } },
      { after: { occurred: '1', position: 1 } },
      { since: null },
    ]) {
      expect((await follow(changed)).status).toBe(403)
    }
  })

  test('returns the complete count of very many resources', { timeout: 60_000 }, async () => {
    const app = await setup()
    const many = 10_500
    for (let from = 0; from < many; from += 500) {
      const events = Array.from({ length: 500 }, (_, n) => event(app, 'e', { resource: { 'prefect.resource.id': `thing.${from + n}` } }))
      expect((await app.call('POST', '/events', events)).status).toBe(204)
    }
    const { statusCode, headers, body } = await app.server.inject({ method: 'POST', url: '/events/count-by/resource', payload: { filter: {} } })
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/json'])
    const counts: { value: string; count: number }[] = JSON.parse(body)
    expect(counts).toHaveLength(many)
    expect(counts[0]).toMatchObject({ value: 'thing.0', label: 'thing.0', count: 1 })
    expect(new Set(counts.map(({ value }) => value)).size).toBe(many)
  })

  test('ignores empty id and role labels and matches nothing for other empty labels', async () => {
    const app = await setup()
    await app.call('POST', '/events', [event(app, 'a', { resource: { 'prefect.resource.id': 'x', kind: 'k' } })])
    const found = async (filter: object) => (await app.call('POST', '/events/filter', { filter })).body.total
    expect(await found({ resource: { labels: { 'prefect.resource.id': [], kind: 'k' } } })).toBe(1)
    expect(await found({ any_resource: { labels: { 'prefect.resource.role': [] } } })).toBe(1)
    expect(await found({ resource: { labels: { kind: [] } } })).toBe(0)
  })

  test('stores and finds events far in the past and future', async () => {
    const app = await setup()
    const times = ['0001-01-01T00:00:00Z', '1969-12-31T23:59:59.999999Z', '9999-12-31T00:00:00Z']
    await app.call(
      'POST',
      '/events',
      times.map((occurred, n) => event(app, `t${n}`, { occurred })),
    )
    const filter = { occurred: { since: '0001-01-01', until: '9999-12-31' }, order: 'ASC' }
    const { body } = await app.call('POST', '/events/filter', { filter })
    expect(body).toMatchObject({ total: 3, events: [{ event: 't0' }, { event: 't1', occurred: times[1] }, { event: 't2' }] })
  })

  test.each([2 ** 31, 1e25, 1e308])('counts by time buckets of %d weeks', async (interval) => {
    const app = await setup()
    await app.call('POST', '/events', [event(app, 'e')])
    for (const extra of [{}, { text: { query: 'e' } }]) {
      const filter = { occurred: { since: '0001-01-01', until: '9999-12-31' }, ...extra }
      const { status, body } = await app.call('POST', '/events/count-by/time', { filter, time_unit: 'week', time_interval: interval })
      expect(status).toBe(200)
      expect(body.reduce((sum: number, bucket: { count: number }) => sum + bucket.count, 0)).toBe(1)
      for (const { start_time, end_time } of body) expect(`${start_time} ${end_time}`).toMatch(/^\d{4}-\S+Z \d{4}-\S+Z$/)
    }
  })
})

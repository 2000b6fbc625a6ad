import { describe, expect, test, vi } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { connect, connectWithoutAuth } from '../../test/socket-client.ts'
import { formatTime } from '../lib/time.ts'

const event = (app: TestApp, name: string, more: object = {}) => ({
  id: app.context.newId(),
  occurred: formatTime(app.context.clock.now()),
  event: name,
  resource: { 'prefect.resource.id': 'thing.1' },
  ...more,
})
const filter = (more: object = {}) => ({ type: 'filter', filter: more })
const namesOf = async (client: { next(): Promise<{ event: { event: string } }> }, count: number) => {
  const names: string[] = []
  while (names.length < count) names.push((await client.next()).event.event)
  return names
}

eachDialect('/events/in', (setup) => {
  test('stores events and sends the pong after the commit', async () => {
    const app = await setup()
    const client = await connect(app, '/api/events/in')
    for (const name of ['a', 'b', 'c']) client.send(event(app, name))
    await client.ping()
    expect(await app.eventNames()).toEqual(['a', 'b', 'c'])
  })

  test('stores a duplicate event once and skips an invalid event', async () => {
    const app = await setup()
    const client = await connect(app, '/events/in')
    const again = event(app, 'a')
    client.send(again)
    client.send({ ...event(app, 'x'), resource: {} })
    client.send({ ...event(app, 'y'.repeat(2000)) })
    client.send(again)
    client.send(event(app, 'b'))
    await client.ping()
    expect(await app.eventNames()).toEqual(['a', 'b'])
  })

  test('closes the connection for a message that is not JSON', async () => {
    const client = await connect(await setup(), '/events/in')
    client.send('{')
    expect(await client.closed).toMatchObject({ code: 1007 })
  })

  test('records task runs like POST /events', async () => {
    const app = await setup()
    const client = await connect(app, '/events/in')
    const id = app.context.newId()
    client.send(
      event(app, 'prefect.task-run.Running', {
        resource: { 'prefect.resource.id': `prefect.task-run.${id}`, 'prefect.orchestration': 'client' },
        payload: { task_run: { task_key: 'k', dynamic_key: '0', name: 'n' }, validated_state: { type: 'RUNNING', name: 'Running' } },
      }),
    )
    await client.ping()
    expect((await app.call('GET', `/task_runs/${id}`)).body).toMatchObject({ name: 'n', state_type: 'RUNNING' })
  })
})

eachDialect('/events/out', (setup) => {
  test('sends recent events oldest first, then new ones, each once', async () => {
    const app = await setup({ env: { MILLRACE_EVENTS_WEBSOCKET_BACKFILL_PAGE_SIZE: '2' } })
    const past = ['p1', 'p2', 'other', 'p3', 'p4', 'p5'].map((name) => event(app, name))
    await app.call('POST', '/events', past)
    const client = await connect(app, '/api/events/out')
    client.send(filter({ event: { prefix: ['p', 'q'] } }))
    expect(await namesOf(client, 5)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
    await app.call('POST', '/events', [event(app, 'q1'), event(app, 'no'), event(app, 'q2')])
    expect(await namesOf(client, 2)).toEqual(['q1', 'q2'])
    await app.call('POST', '/events', [event(app, 'q3')])
    expect(await namesOf(client, 1)).toEqual(['q3'])
    expect(client.unreadCount).toBe(0)
  })

  test('omits recent events on request and limits how far they go back', async () => {
    const app = await setup()
    await app.call('POST', '/events', [event(app, 'old')])
    app.clock.advance(1000)
    await app.call('POST', '/events', [event(app, 'recent')])
    const now = await connect(app, '/events/out')
    now.send({ ...filter(), backfill: false })
    await now.ping()
    const since = await connect(app, '/events/out')
    since.send(filter({ occurred: { since: '2020-01-01T00:00:00Z' } }))
    expect(await namesOf(since, 1)).toEqual(['recent'])
    await app.call('POST', '/events', [event(app, 'new')])
    expect(await namesOf(now, 1)).toEqual(['new'])
    expect(await namesOf(since, 1)).toEqual(['new'])
  })

  test('respects the end of the filter', async () => {
    const app = await setup()
    const client = await connect(app, '/events/out')
    client.send(filter({ occurred: { until: formatTime(app.context.clock.now() + 60_000_000) } }))
    await app.call('POST', '/events', [event(app, 'in time')])
    app.clock.advance(120)
    await app.call('POST', '/events', [event(app, 'too late'), { ...event(app, 'of then'), occurred: '2030-01-01T00:00:01Z' }])
    expect(await namesOf(client, 2)).toEqual(['in time', 'of then'])
  })

  test('sends events of the server to all subscribers by their filters', async () => {
    const app = await setup()
    const [all, named, related] = await Promise.all([1, 2, 3].map(() => connect(app, '/events/out')))
    all?.send(filter())
    named?.send(filter({ event: { name: ['prefect.flow-run.Running'] } }))
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body
    related?.send(filter({ related: { id: [`prefect.flow.${flow.id}`] } }))
    const run = (await app.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })).body
    await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
    expect(await namesOf(all as never, 3)).toEqual(['prefect.flow.created', 'prefect.flow-run.Pending', 'prefect.flow-run.Running'])
    expect(await namesOf(named as never, 1)).toEqual(['prefect.flow-run.Running'])
    expect(await namesOf(related as never, 2)).toEqual(['prefect.flow-run.Pending', 'prefect.flow-run.Running'])
  })

  test.each([
    ['another message', { type: 'hello' }, 'Expected a "filter" message'],
    ['no filter', { type: 'filter' }, /^Invalid filter/],
    ['a filter with a key that is none', filter({ colour: 1 }), /^Invalid filter: colour/],
    ['no JSON', '{', /JSON/],
  ])('closes the connection for %s', async (_name, message, reason) => {
    const client = await connect(await setup(), '/events/out')
    client.send(message)
    expect(await client.closed).toEqual({ code: typeof message === 'string' ? 1007 : 1002, reason: expect.stringMatching(reason) })
  })

  test('disconnects a client that does not read, without delaying others', async () => {
    const app = await setup({ env: { MILLRACE_SERVER_API_WEBSOCKET_PING_TIMEOUT_SECONDS: '0.2' } })
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect(app, '/events/out')))
    for (const client of clients) client.send(filter({ event: { prefix: ['burst'] } }))
    const [stalled, ...others] = clients
    stalled?.pauseReading()
    const burst = async (round: number) => {
      await app.call(
        'POST',
        '/events',
        Array.from({ length: 20 }, (_, n) => event(app, `burst ${round} ${n}`, { payload: { note: 'x'.repeat(10_000) } })),
      )
      for (const other of others) expect(await namesOf(other as never, 20)).toHaveLength(20)
    }
    for (let round = 0; round < 8; round += 1) await burst(round)
    // The library's own states of a socket: 2 is closing.
    await vi.waitFor(() => expect([...app.server.websocketServer.clients].map(({ readyState }) => readyState)).toContain(2), { timeout: 5000 })
    stalled?.resumeReading()
    expect(await stalled?.closed).toMatchObject({ code: 1013 })
    await burst(8)
  })

  test('sends everything to a slow client, in order and once', async () => {
    const app = await setup()
    const client = await connect(app, '/events/out')
    client.send(filter({ event: { prefix: ['burst'] } }))
    await client.ping()
    client.pauseReading()
    const names = Array.from({ length: 300 }, (_, n) => `burst ${n}`)
    for (let from = 0; from < names.length; from += 50) {
      await app.call(
        'POST',
        '/events',
        names.slice(from, from + 50).map((name) => event(app, name, { payload: { note: 'x'.repeat(10_000) } })),
      )
    }
    client.resumeReading()
    expect(await namesOf(client, 300)).toEqual(names)
    await app.call('POST', '/events', [event(app, 'burst last')])
    expect(await namesOf(client, 1)).toEqual(['burst last'])
  })
})

describe('authentication', () => {
  const env = { MILLRACE_SERVER_API_AUTH_STRING: 'me:secret' }
  const paths = ['/events/in', '/events/out', '/logs/out', '/task_runs/subscriptions/scheduled', '/work_pools/p/workers/connect']

  eachDialect('with credentials', (setup, dialect) => {
    if (dialect === 'postgres') return test.skip('does not depend on the database')

    test.each(paths)('%s requires them', async (path) => {
      const app = await setup({ env })
      await connect(app, `/api${path}`, { token: 'me:secret' })
      for (const first of [
        { type: 'auth', token: 'me:wrong' },
        { type: 'auth', token: null },
        { type: 'auth' },
        { type: 'auth', token: 5 },
        { type: 'filter', filter: {} },
        '{',
      ]) {
        const client = await connectWithoutAuth(app, path, { 'sec-websocket-protocol': 'prefect' })
        client.send(first)
        const reason = path.startsWith('/work_pools') ? 'authentication_failed' : expect.any(String)
        expect(await client.closed).toEqual({ code: 1008, reason })
      }
      await expect(connectWithoutAuth(app, path)).rejects.toThrow('403')
    })

    test('rejects pages of other origins', async () => {
      const app = await setup({ env: { ...env, MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS: 'https://friend.example' } })
      const from = (origin: string) => connect(app, '/events/out', { token: 'me:secret', headers: { origin, host: 'millrace.example' } })
      await expect(from('https://evil.example')).rejects.toThrow('403')
      await expect(from('null')).rejects.toThrow('403')
      await from('https://millrace.example')
      await from('https://friend.example')
    })

    test('accepts any credentials when none are configured', async () => {
      const client = await connectWithoutAuth(await setup(), '/events/in', { 'sec-websocket-protocol': 'prefect' })
      client.send({ type: 'auth', token: 5 })
      expect(await client.next()).toEqual({ type: 'auth_success' })
    })

    test('accepts an old client without an auth message when none are configured', async () => {
      const app = await setup()
      const client = await connectWithoutAuth(app, '/events/in')
      client.send(event(app, 'old'))
      await client.ping()
      expect(await app.eventNames()).toEqual(['old'])
      await expect(connectWithoutAuth(app, '/work_pools/p/workers/connect')).rejects.toThrow('403')
    })

    test('disconnects a client without credentials', async () => {
      const app = await setup({ env: { ...env, MILLRACE_SERVER_API_WEBSOCKET_PING_TIMEOUT_SECONDS: '0.05' } })
      const client = await connectWithoutAuth(app, '/events/out', { 'sec-websocket-protocol': 'prefect' })
      expect(await client.closed).toMatchObject({ code: 1008 })
    })

    test('disconnects only clients that do not answer pings', async () => {
      const env = { MILLRACE_SERVER_API_WEBSOCKET_PING_INTERVAL_SECONDS: '0.3', MILLRACE_SERVER_API_WEBSOCKET_PING_TIMEOUT_SECONDS: '0.6' }
      const app = await setup({ env })
      const [silent, lively] = [await connect(app, '/events/in'), await connect(app, '/events/in')]
      silent.pauseReading()
      const states = () => [...app.server.websocketServer.clients].map(({ readyState }) => readyState)
      await vi.waitFor(() => expect(states()).toContain(2), { timeout: 5000 })
      silent.resumeReading()
      expect(await silent.closed).toMatchObject({ code: 1011 })
      lively.send(event(app, 'there'))
      await lively.ping()
      expect(await app.eventNames()).toEqual(['there'])
    })

    test('responds with 404 to an ordinary request', async () => {
      expect((await (await setup()).call('GET', '/events/in')).status).toBe(404)
    })

    test('closes connections with a code when the server stops', async () => {
      const app = await setup()
      const client = await connect(app, '/events/out')
      client.send(filter())
      void app.server.close()
      expect(await client.closed).toMatchObject({ code: 1012 })
    })
  })
})

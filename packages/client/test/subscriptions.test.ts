import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { Log } from '@millrace/contracts/log.ts'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { formatTime } from '../../server/src/lib/time.ts'
import { freePort } from '../../server/test/free-port.ts'
import { MillraceClient } from '../src/client.ts'
import { ConnectionError, InvalidRequestError, UnauthorizedError } from '../src/errors.ts'
import type { Subscription, SubscriptionOptions } from '../src/subscriptions/subscription.ts'
import { startTestServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.drop())
afterEach(() => {
  vi.unstubAllGlobals()
})

const quick: SubscriptionOptions = { reconnectDelaySeconds: 0.05 }
const socketCount = () => server.app.server.websocketServer.clients.size
/** Resolves when the subscription is connected. */
const connected = () => {
  let onConnect = () => {}
  const promise = new Promise<void>((resolve) => {
    onConnect = resolve
  })
  return { onConnect, promise }
}

let lastNumber = 0
/** Names that no other test uses. */
const newNames = (count: number, prefix: string) => Array.from({ length: count }, () => `${prefix}.${String(++lastNumber).padStart(4, '0')}`)
const timeAgo = (seconds: number) => formatTime(server.app.clock.now() - seconds * 1_000_000)

interface Stream {
  /** Records items with these names. */
  record(names: readonly string[], secondsAgo?: number): Promise<void>
  subscribe(prefix: string, options?: SubscriptionOptions & { since?: string }, client?: MillraceClient): Subscription<object>
  nameOf(item: object): string
}

/** Ends the subscription with the test. */
function track<T>(subscription: Subscription<T>): Subscription<T> {
  onTestFinished(async () => void (await subscription.return()))
  return subscription
}

const streams: Record<string, Stream> = {
  events: {
    record: (names, secondsAgo = 0) =>
      server
        .client()
        .events.create(
          names.map((event) => ({ id: crypto.randomUUID(), event, occurred: timeAgo(secondsAgo), resource: { 'prefect.resource.id': 'thing.1' } })),
        ),
    subscribe: (prefix, { since, ...options } = {}, client = server.client()) =>
      track(client.events.subscribe({ event: { prefix: [prefix] }, ...(since && { occurred: { since } }) }, { ...quick, ...options })),
    nameOf: (item) => (item as ReceivedEvent).event,
  },
  logs: {
    record: (names, secondsAgo = 0) =>
      server.client().logs.create(names.map((message) => ({ name: 'test', level: 20, message, timestamp: timeAgo(secondsAgo) }))),
    subscribe: (prefix, { since, ...options } = {}, client = server.client()) =>
      track(client.logs.subscribe({ text: { query: prefix }, ...(since && { timestamp: { after_: since } }) }, { ...quick, ...options })),
    nameOf: (item) => (item as Log).message,
  },
}

describe.each(Object.entries(streams))('a subscription to %s', (noun, { record, subscribe, nameOf }) => {
  /** The next names, without ending the subscription. */
  async function take(items: Subscription<object>, count: number): Promise<string[]> {
    const names: string[] = []
    while (names.length < count) {
      const { done, value } = await items.next()
      if (done) throw new Error(`ended after ${names.join(', ')}`)
      names.push(nameOf(value))
    }
    return names
  }

  test('returns new items in order, each once', async () => {
    const prefix = `${noun}-new`
    await record(newNames(3, prefix))
    const { onConnect, promise } = connected()
    const items = subscribe(prefix, { onConnect })
    const first = take(items, 2)
    await promise
    const names = newNames(5, prefix)
    await record(names.slice(0, 2))
    expect(await first).toEqual(names.slice(0, 2))
    await record([...newNames(1, 'other'), ...names.slice(2)])
    expect(await take(items, 3)).toEqual(names.slice(2))
    await items.return()
    await vi.waitFor(() => expect(socketCount()).toBe(0))
  })

  test('returns what is stored between the call and the connection', async () => {
    const prefix = `${noun}-gap`
    await record(newNames(1, prefix))
    const client = server.client({
      WebSocket: class extends WebSocket {
        constructor(url: string, protocols?: string | string[]) {
          super(url, protocols)
          // Stored before the server can know the filter.
          pending = record(names)
        }
      },
    })
    const names = newNames(2, prefix)
    let pending: Promise<void> | undefined
    const items = subscribe(prefix, {}, client)
    expect(await take(items, 2)).toEqual(names)
    await pending
    await items.return()
  })

  test('starts with past items if the filter has a start', async () => {
    const prefix = `${noun}-past`
    const names = newNames(130, prefix)
    for (const [index, name] of names.slice(0, 120).entries()) await record([name], 5000 - index)
    const items = subscribe(prefix, { since: timeAgo(10_000) })
    expect(await take(items, 120)).toEqual(names.slice(0, 120))
    await record(names.slice(120))
    expect((await take(items, 10)).toSorted()).toEqual(names.slice(120))
    await items.return()
  })

  test('continues after a restart of the server, without gap or duplicate', async () => {
    const prefix = `${noun}-restart`
    const names = newNames(90, prefix)
    const items = subscribe(prefix, { since: timeAgo(100) })
    await record(names.slice(0, 10))
    const found = await take(items, 4)
    await record(names.slice(10, 15))
    await server.kill()
    await server.restart()
    // Stored while the subscription is not connected; a page of events has 50.
    await record(names.slice(15, 75))
    found.push(...(await take(items, 71)))
    await record(names.slice(75, 80))
    found.push(...(await take(items, 5)))
    await server.kill()
    await server.restart()
    // Stored late, by a sender that had no connection either.
    await record(names.slice(80), 60)
    found.push(...(await take(items, 10)))
    expect(found.toSorted()).toEqual(names)
    expect(found.slice(0, 4)).toEqual(names.slice(0, 4))
    const end = newNames(1, prefix)
    await record(end)
    expect(await take(items, 1)).toEqual(end)
    await items.return()
  })

  test('repeats a search that failed in the middle, without gap or duplicate', async () => {
    const prefix = `${noun}-search`
    const names = newNames(450, prefix)
    await record(names.slice(0, 449))
    let pages = 0
    const client = server.client({
      fetch: (url, init) => {
        if (/\/filter/.test(url)) pages += 1
        return pages % 3 === 0 && pages < 10 ? Promise.resolve(new Response('', { status: 503 })) : fetch(url, init)
      },
    })
    const items = subscribe(prefix, { since: timeAgo(100) }, client)
    expect((await take(items, 449)).toSorted()).toEqual(names.slice(0, 449))
    await record(names.slice(449))
    expect(await take(items, 1)).toEqual(names.slice(449))
  })

  test('continues after a restart although it had returned nothing', async () => {
    const prefix = `${noun}-quiet`
    await record(newNames(3, prefix))
    const { onConnect, promise } = connected()
    const items = subscribe(prefix, { onConnect })
    await promise
    await server.kill()
    await server.restart()
    const names = newNames(3, prefix)
    await record(names)
    expect((await take(items, 3)).toSorted()).toEqual(names)
    await items.return()
  })

  test('closes the connection while the consumer is slow, and continues when it has caught up', async () => {
    const prefix = `${noun}-slow`
    const names = newNames(100, prefix)
    const { onConnect, promise } = connected()
    const items = subscribe(prefix, { bufferMax: 10, onConnect })
    await promise
    await vi.waitFor(() => expect(socketCount()).toBe(1))
    for (const name of names) await record([name])
    await vi.waitFor(() => expect(socketCount()).toBe(0))
    expect(await take(items, 100)).toEqual(names)
    await items.return()
  })

  test('ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { onConnect, promise } = connected()
    const items = subscribe(`${noun}-abort`, { signal: controller.signal, onConnect })
    const next = items.next()
    await promise
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
    await vi.waitFor(() => expect(socketCount()).toBe(0))
    await expect(subscribe(`${noun}-abort`, { signal: controller.signal }).next()).rejects.toBe(reason)
  })

  test('ends with return, also while an item is awaited', async () => {
    const { onConnect, promise } = connected()
    const items = subscribe(`${noun}-return`, { onConnect })
    const next = items.next()
    await promise
    expect(await items.return()).toEqual({ done: true, value: undefined })
    expect(await next).toEqual({ done: true, value: undefined })
    expect(await items.next()).toEqual({ done: true, value: undefined })
    await vi.waitFor(() => expect(socketCount()).toBe(0))
  })

  test('without resume continues with new items only', async () => {
    const prefix = `${noun}-live`
    const onDisconnect = vi.fn()
    const connections = [connected(), connected()]
    let count = 0
    const onConnect = () => connections[count++]?.onConnect()
    // Long enough to record what is missed before the client is back, also on a busy machine.
    const items = subscribe(prefix, { resume: false, reconnectDelaySeconds: 4, onConnect, onDisconnect })
    const [first, missed, last] = newNames(3, prefix) as [string, string, string]
    const found: string[] = []
    const reading = (async () => {
      for await (const item of items) found.push(nameOf(item))
    })()
    /** The server does not confirm the filter. */
    const recordUntilFound = (name: string) =>
      vi.waitFor(async () => {
        await record([name])
        expect(found).toContain(name)
      })
    await connections[0]?.promise
    await recordUntilFound(first)
    await server.kill()
    await server.restart()
    await record([missed])
    await connections[1]?.promise
    await recordUntilFound(last)
    expect(new Set(found)).toEqual(new Set([first, last]))
    expect(onDisconnect).toHaveBeenCalled()
    await items.return()
    await reading
  })
})

test('returns every event once while the server is restarted during a burst', async () => {
  // A socket of an earlier test would look like that of this subscription.
  await vi.waitFor(() => expect(socketCount()).toBe(0))
  const names = newNames(300, 'burst')
  const client = server.client({ retry: { retries: 100, delaySeconds: 0.02, delaySecondsMax: 0.1 } })
  const items = track(client.events.subscribe({ event: { prefix: ['burst.'] } }, { ...quick, bufferMax: 20 }))
  const found: string[] = []
  const reading = (async () => {
    for await (const { event } of items) {
      found.push(event)
      if (found.length === names.length) return
    }
  })()
  // The first event is recorded after the start of the subscription.
  await vi.waitFor(() => expect(socketCount()).toBe(1))
  const recording = (async () => {
    for (const event of names) {
      const resource = { 'prefect.resource.id': 'thing.1' }
      await client.events.create([{ id: crypto.randomUUID(), event, occurred: timeAgo(0), resource }])
    }
  })()
  for (const count of [40, 120, 200]) {
    await vi.waitFor(() => expect(found.length).toBeGreaterThan(count), { timeout: 10_000 })
    await server.kill()
    await server.restart()
  }
  await Promise.all([recording, reading])
  expect(found.toSorted()).toEqual(names)
})

describe('errors of a subscription', () => {
  test('names the server that cannot be reached', async () => {
    const url = `http://127.0.0.1:${await freePort()}/api`
    const client = new MillraceClient({ url, retry: { retries: 0 } })
    await expect(client.events.subscribe().next()).rejects.toThrow(ConnectionError)
    await expect(client.logs.subscribe().next()).rejects.toThrow(`Cannot reach ${url} (ECONNREFUSED)`)
  })

  test('reports a filter that is not valid', async () => {
    const client = server.client()
    for (const resume of [true, false])
      await expect(client.events.subscribe({ colour: 1 } as never, { resume }).next()).rejects.toThrow(InvalidRequestError)
  })

  test('says what to do where the runtime has no WebSocket', () => {
    vi.stubGlobal('WebSocket', undefined)
    expect(() => server.client().events.subscribe()).toThrow('This runtime has no WebSocket. Use Node 22 or later, or pass a class to the client')
  })

  describe('on a server with credentials', () => {
    const env = { MILLRACE_SERVER_API_AUTH_STRING: 'me:secret' }
    let locked: TestServer
    beforeAll(async () => {
      locked = await startTestServer(env)
    })
    afterAll(() => locked.drop())

    test('does not retry with wrong credentials', async () => {
      for (const options of [{ authString: 'me:wrong' }, { key: 'none' }, {}]) {
        for (const resume of [true, false]) {
          const error = await locked
            .client(options)
            .events.subscribe({}, { ...quick, resume })
            .next()
            .catch((caught: unknown) => caught)
          expect(error).toBeInstanceOf(UnauthorizedError)
          expect(error).toMatchObject({ code: 'UNAUTHORIZED', requestId: expect.stringMatching(/./) })
        }
      }
    })

    test('fails when the credentials are no longer valid', async () => {
      let authString = 'me:secret'
      const { onConnect, promise } = connected()
      const items = locked.client({ credentials: () => ({ authString }) }).logs.subscribe({}, { ...quick, onConnect })
      const next = items.next()
      await promise
      authString = 'me:old'
      for (const socket of locked.app.server.websocketServer.clients) socket.terminate()
      await expect(next).rejects.toThrow(UnauthorizedError)
    })
  })
})

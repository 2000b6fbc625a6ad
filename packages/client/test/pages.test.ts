import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../../server/src/lib/time.ts'
import type { MillraceClient } from '../src/client.ts'
import { InvalidRequestError } from '../src/errors.ts'
import { startTestServer, type TestServer } from './test-server.ts'

let server: TestServer
let client: MillraceClient
beforeAll(async () => {
  server = await startTestServer()
  client = server.client()
})
afterAll(() => server.drop())

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n).padStart(3, '0'))

describe('pages by offset', () => {
  beforeEach(async () => {
    for (;;) {
      const { deleted } = await client.flows.deleteMatching()
      if (deleted.length === 0) break
    }
    for (const name of numbers(0, 25)) await client.flows.create({ name })
  })

  const names = async (items: AsyncIterable<{ readonly name: string }>) => (await collect(items)).map(({ name }) => name)

  test('return every item once', async () => {
    expect(await names(client.flows.listAll())).toEqual(numbers(0, 25))
    for (const pageSize of [1, 2, 5, 24, 25, 26]) expect(await names(client.flows.listAll({}, { pageSize }))).toEqual(numbers(0, 25))
  })

  test('end after the maximum', async () => {
    for (const max of [0, 1, 7, 25, 99]) expect(await names(client.flows.listAll({}, { pageSize: 5, max }))).toEqual(numbers(0, Math.min(max, 25)))
  })

  test('return every item once while others are created before and after it', async () => {
    const found: string[] = []
    for await (const { name } of client.flows.listAll({}, { pageSize: 5 })) {
      found.push(name)
      if (found.length % 3 === 0) {
        await client.flows.create({ name: `!${found.length}` })
        await client.flows.create({ name: `~${found.length}` })
      }
    }
    expect(found.filter((name) => !name.startsWith('~'))).toEqual(numbers(0, 25))
    expect(new Set(found).size).toBe(found.length)
  })

  test('return every item once while the consumer deletes what it got', async () => {
    const found: string[] = []
    for await (const { id, name } of client.flows.listAll({}, { pageSize: 5 })) {
      found.push(name)
      await client.flows.delete(id)
    }
    expect(found).toEqual(numbers(0, 25))
    expect(await client.flows.count()).toBe(0)
  })

  test('return the remaining items if earlier ones are deleted', async () => {
    const found: string[] = []
    for await (const { name } of client.flows.listAll({}, { pageSize: 6 })) {
      found.push(name)
      if (name === '010') await client.flows.deleteMatching({ flows: { name: { any_: numbers(0, 9) } } })
    }
    expect(found).toEqual(numbers(0, 25))
  })

  test('end when the signal is aborted', async () => {
    const controller = new AbortController()
    const reading = (async () => {
      for await (const { name } of client.flows.listAll({}, { pageSize: 5, signal: controller.signal })) if (name === '004') controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('pages are as small as the server allows', async () => {
  const small = await startTestServer({ MILLRACE_SERVER_API_DEFAULT_LIMIT: '10' })
  try {
    const { flows } = small.client()
    for (const name of numbers(0, 25)) await flows.create({ name })
    expect((await collect(flows.listAll())).map(({ name }) => name)).toEqual(numbers(0, 25))
    await expect(collect(flows.listAll({}, { pageSize: 11 }))).rejects.toThrow(InvalidRequestError)
  } finally {
    await small.drop()
  }
})

describe('pages of events', () => {
  const record = (names: readonly string[]) =>
    client.events.create(
      names.map((event) => ({
        id: crypto.randomUUID(),
        event,
        occurred: formatTime(server.app.clock.now()),
        resource: { 'prefect.resource.id': 'thing.1' },
      })),
    )
  const filter = { event: { prefix: ['page.'] } }

  test('return every event once while others are recorded', async () => {
    const names = numbers(0, 120).map((each) => `page.${each}`)
    await record(names)
    const found: string[] = []
    for await (const { event } of client.events.listAll({ filter: { ...filter, order: 'ASC' } })) {
      found.push(event)
      if (found.length % 40 === 0) await record([`page.new ${found.length}`])
    }
    expect(found).toEqual(names)
    expect(await collect(client.events.listAll({ filter }, { pageSize: 7, max: 20 }))).toHaveLength(20)
    expect(await collect(client.events.listAll({ filter }))).toHaveLength(123)
  })

  test('take the URL of the next page or its token', async () => {
    const { next_page } = await client.events.listPage({ filter, limit: 2 })
    const token = new URL(next_page ?? '').searchParams.get('page-token') ?? ''
    const [byUrl, byToken] = [await client.events.nextPage(next_page ?? ''), await client.events.nextPage(token)]
    expect(byUrl.events).toHaveLength(2)
    expect(byUrl).toEqual(byToken)
  })
})

describe('pages of logs', () => {
  const store = (messages: readonly string[], timestamp: (index: number) => string) =>
    client.logs.create(messages.map((message, index) => ({ name: 'pages', level: 20, message, timestamp: timestamp(index) })))
  const second = (index: number) => `2030-02-01T00:00:${String(index % 60).padStart(2, '0')}Z`
  const since = (time: string) => ({ logs: { timestamp: { after_: time } } })
  const messages = async (items: AsyncIterable<{ readonly message: string }>) => (await collect(items)).map(({ message }) => message)

  test('return every log once in the order of time, also many of the same time', async () => {
    await store(numbers(0, 30), (index) => second(index < 10 ? index : index < 25 ? 10 : index))
    for (const pageSize of [2, 3, 7, 200]) {
      const found = await messages(client.logs.listAll(since('2030-02-01T00:00:00Z'), { pageSize }))
      expect(found.toSorted()).toEqual(numbers(0, 30))
      expect([...found.slice(0, 10), ...found.slice(25)]).toEqual([...numbers(0, 10), ...numbers(25, 30)])
      expect(await messages(client.logs.listAll({ ...since('2030-02-01T00:00:00Z'), sort: 'TIMESTAMP_DESC' }, { pageSize }))).toEqual(
        found.toReversed(),
      )
    }
    expect(await messages(client.logs.listAll(since('2030-02-01T00:00:00Z'), { max: 3 }))).toEqual(numbers(0, 3))
  })

  test('return every log once while earlier and later ones are stored', async () => {
    await store(numbers(100, 120), (index) => `2030-03-01T00:00:${String(10 + index).padStart(2, '0')}Z`)
    const found: string[] = []
    for await (const { message } of client.logs.listAll(since('2030-03-01T00:00:00Z'), { pageSize: 4 })) {
      found.push(message)
      if (found.length === 6) await store(['early', 'late'], (index) => (index === 0 ? '2030-03-01T00:00:01Z' : '2030-03-01T00:01:00Z'))
    }
    expect(found).toEqual([...numbers(100, 120), 'late'])
  })

  test('work for criteria of which one must match', async () => {
    await store(['x', 'y', 'z'], () => '2031-01-01T00:00:00Z')
    const logs = { operator: 'or_' as const, text: { query: 'nothing' }, timestamp: { after_: '2031-01-01T00:00:00Z' } }
    expect((await messages(client.logs.listAll({ logs }, { pageSize: 2 }))).toSorted()).toEqual(['x', 'y', 'z'])
  })
})

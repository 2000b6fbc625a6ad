import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BusNotification, createBus } from '../../src/lib/bus.ts'
import { openNotifications } from '../../src/storage/postgres/notifications.ts'
import { migratedPostgres } from '../databases.ts'
import { startTcpProxy } from './tcp-proxy.ts'

const probeSeconds = 0.05

let url: string
const cleanups: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  const database = await migratedPostgres()
  url = database.url
  cleanups.push(database.drop)
})
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** A server that only listens and notifies. */
async function openServer(serverUrl = url) {
  const notifications = openNotifications(serverUrl, { isDirect: true, probeSeconds })
  const bus = createBus()
  const heard: BusNotification[] = []
  bus.on('slots', (notification) => heard.push(notification))
  await notifications.listen(bus)
  const close = () => notifications.close()
  cleanups.push(close)
  const statement = () => notifications.statement(new Set(['slots']))
  const becomesLonely = () => expect.poll(statement).toBeUndefined()
  return { heard, statement, becomesLonely, close }
}

async function openClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanups.push(() => client.end())
  return client
}

test('a server that is alone notifies nobody, and notifies again as soon as another one listens', async () => {
  const first = await openServer()
  expect(first.statement()).toMatch(/^notify millrace, '\d+\nslots'$/)
  await first.becomesLonely()

  const second = await openServer()
  // What the first one committed until it heard of the second one.
  await expect.poll(() => second.heard).toEqual([{ from: 'unknown', hint: '' }])
  const notify = first.statement()
  expect(notify).toBeDefined()
  await (await openClient()).query(notify as string)
  await expect.poll(() => second.heard.slice(1)).toEqual([{ from: 'remote', hint: '' }])

  await second.close()
  await first.becomesLonely()
})

test('two servers are not alone, however long they are silent', async () => {
  const [first, second] = [await openServer(), await openServer()]
  await new Promise((resolve) => setTimeout(resolve, probeSeconds * 1000 * 8))
  expect([first.statement(), second.statement()]).toEqual([expect.any(String), expect.any(String)])
})

test('servers are found whatever application name their URL sets', async () => {
  const named = `${url}${url.includes('?') ? '&' : '?'}application_name=billing`
  const [first, second] = [await openServer(named), await openServer(named)]
  await new Promise((resolve) => setTimeout(resolve, probeSeconds * 1000 * 8))
  expect([first.statement(), second.statement()]).toEqual([expect.any(String), expect.any(String)])
})

test('a server that begins to listen wakes its readers each second, because one with a dead connection does not hear it', async () => {
  const proxy = await startTcpProxy(url)
  cleanups.push(() => proxy.close())
  const first = await openServer(proxy.url)
  await first.becomesLonely()
  proxy.blackHole()
  const second = await openServer()
  const began = performance.now()
  await expect.poll(() => second.heard.length, { timeout: 3000 }).toBeGreaterThan(1)
  expect(second.heard.every(({ from }) => from === 'unknown')).toBe(true)
  expect(performance.now() - began).toBeLessThan(2900)
})

test('a server that lost its connection notifies until it knows that it is alone', async () => {
  const server = await openServer()
  await server.becomesLonely()
  const client = await openClient()
  const heard: string[] = []
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  await client.query('listen millrace')
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace listener' and datname = current_database()`,
  )
  await expect.poll(server.statement).toBeDefined()
  // Another server may have joined and been told nothing.
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual([expect.stringMatching(/^\d+\n\*$/)])
  await expect.poll(() => server.heard.length).toBeGreaterThan(0)
  expect(server.heard.every(({ from }) => from === 'unknown')).toBe(true)
  await server.becomesLonely()
})

test('a server that cannot listen notifies always', async () => {
  const notifications = openNotifications(url, { isDirect: true, probeSeconds })
  await new Promise((resolve) => setTimeout(resolve, probeSeconds * 1000 * 4))
  expect(notifications.statement(new Set(['slots']))).toBe("notify millrace, '0\nslots'")
})

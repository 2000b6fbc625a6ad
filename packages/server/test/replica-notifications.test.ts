import pg from 'pg'
import { expect, test } from 'vitest'
import type { BusNotification } from '../src/lib/bus.ts'
import { createReplicaFactory } from './replicas.ts'
import type { TestApp } from './setup.ts'
import { connect } from './socket-client.ts'

const replicas = createReplicaFactory()

/** A server that has just begun to listen also wakes everybody each second, for an unknown reason. */
const hasReason = ({ from }: BusNotification): boolean => from !== 'unknown'

/** The next wake-up of a topic. */
const nextNotification = ({ context: { bus } }: TestApp, topic: string, isMeant = hasReason): Promise<BusNotification> =>
  new Promise((resolve) => {
    const stop = bus.on(topic, (notification) => {
      if (!isMeant(notification)) return
      stop()
      resolve(notification)
    })
  })

const collectNotifications = ({ context: { bus } }: TestApp, topic: string): BusNotification[] => {
  const heard: BusNotification[] = []
  bus.on(topic, (notification) => {
    if (hasReason(notification)) heard.push(notification)
  })
  return heard
}

async function terminateListeners(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const listeners = `select pid from pg_stat_activity where application_name = 'millrace listener' and datname = current_database()`
  const { rows } = await client.query(listeners)
  const before = rows.map(({ pid }) => pid)
  await client.query('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid', [before])
  expect(rows.length).toBeGreaterThan(0)
  // Until the servers listen again.
  await expect.poll(async () => (await client.query(listeners)).rowCount, { timeout: 10_000 }).toBe(rows.length)
  await client.end()
}

const flowRun = '0198c1c2-aaaa-7bbb-8ccc-000000000001'
const log = (message: string) => ({ name: 'l', level: 20, message, timestamp: '2030-01-01T00:00:00Z', flow_run_id: flowRun })

test('a commit wakes other servers once, and its own server directly', async () => {
  const { apps } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const own = collectNotifications(one, 'events')
  const others = nextNotification(two, 'events')
  await one.call('POST', '/flows/', { name: 'f' })
  expect(await others).toEqual({ from: 'remote', hint: '' })
  // A notification from the database would arrive before this response.
  const heard = collectNotifications(two, 'events')
  const back = nextNotification(one, 'events')
  await two.call('POST', '/flows/', { name: 'g' })
  await back
  expect(own.map(({ from }) => from)).toEqual(['local', 'remote'])
  expect(heard.map(({ from }) => from)).toEqual(['local'])
})

test('a rolled-back transaction wakes no server', async () => {
  const { apps } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const heard = collectNotifications(two, 'slots')
  await expect(
    one.context.commands.submit(async (tx) => {
      tx.notify('slots')
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  const after = nextNotification(two, 'last')
  await one.context.commands.submit(async (tx) => tx.notify('last'))
  await after
  expect(heard).toEqual([])
})

test('a broken connection is replaced, and all waiters are woken', async () => {
  const { apps, url } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const woken = [one, two].map((app) => nextNotification(app, 'slots', ({ from }) => from === 'unknown'))
  await terminateListeners(url)
  for (const notification of await Promise.all(woken)) expect(notification.from).toBe('unknown')
  const heard = nextNotification(two, 'slots')
  await one.context.commands.submit(async (tx) => tx.notify('slots', 'a note'))
  expect(await heard).toEqual({ from: 'remote', hint: 'a note' })
})

test('notifications that are too long are dropped', async () => {
  const { apps } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const heard = nextNotification(two, 'a')
  await one.context.commands.submit(async (tx) => tx.notify('a', 'x'.repeat(8000)))
  expect(await heard).toEqual({ from: 'remote', hint: '' })
})

test('/events/out streams events of another server', async () => {
  const { apps } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const client = await connect(two, '/api/events/out')
  client.send({ type: 'filter', filter: { event: { name: ['told'] } }, backfill: false })
  await client.ping()
  const id = '0198c1c2-aaaa-7bbb-8ccc-000000000002'
  await one.call('POST', '/events', [{ id, event: 'told', occurred: '2030-01-01T00:00:00Z', resource: { 'prefect.resource.id': 'r' } }])
  expect(await client.next()).toMatchObject({ type: 'event', event: { id } })
})

test('/logs/out streams each log of any server once', async () => {
  const { apps } = await replicas(3)
  const [one, two, three] = apps as [TestApp, TestApp, TestApp]
  const notified = nextNotification(one, 'logs')
  await two.call('POST', '/logs/', [log('before')])
  await notified
  for (const app of apps) app.clock.advance(1)
  const client = await connect(one, '/api/logs/out')
  client.send({ type: 'filter', filter: { flow_run_id: { any_: [flowRun] } } })
  await client.ping()
  const wanted: string[] = []
  for (let n = 0; n < 30; n += 1) {
    const lines = Array.from({ length: 7 }, (_, line) => `${n}:${line}`)
    wanted.push(...lines, `own ${n}`, `third ${n}`)
    await Promise.all([
      two.call('POST', '/logs/', lines.map(log)),
      one.call('POST', '/logs/', [log(`own ${n}`)]),
      three.call('POST', '/logs/', [log(`third ${n}`)]),
    ])
  }
  const heard: string[] = []
  while (heard.length < wanted.length) heard.push((await client.next()).log.message)
  await client.ping()
  expect(client.unreadCount).toBe(0)
  expect(heard.sort()).toEqual(wanted.sort())
})

test('/logs/out streams logs that were written while notifications failed', async () => {
  const { apps, url } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  const client = await connect(one, '/api/logs/out')
  client.send({ type: 'filter', filter: {} })
  await client.ping()
  await one.call('POST', '/logs/', [log('own')])
  expect(await client.next()).toMatchObject({ log: { message: 'own' } })
  const ending = terminateListeners(url)
  await two.call('POST', '/logs/', [log('unheard')])
  await ending
  expect(await client.next()).toMatchObject({ log: { message: 'unheard' } })
  await client.ping()
  expect(client.unreadCount).toBe(0)
})

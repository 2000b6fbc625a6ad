import { expect, test } from 'vitest'
import { proofSize } from './proof-size.ts'
import { createReplicaFactory } from './replicas.ts'
import { eachDialect, type TestApp } from './setup.ts'

/** The promised delay after a slot is released. Polling alone would take a second or more, so the daily limit still detects a missing wake-up. */
const wakeMsMax = proofSize(700, 100)
const rounds = proofSize(5, 9)

const at = '/v2/concurrency_limits'
const waitHeader = { prefer: 'wait=50' }
const take = (app: TestApp) => app.call('POST', `${at}/increment-with-lease`, { names: ['a'], slots: 1, lease_duration: 60 }, waitHeader)

/** Resolves after a denied attempt that started after this call: earlier requests are waiting then. */
async function waitUntilDenied(app: TestApp, denied: number): Promise<void> {
  for (;;) {
    const row = await app.context.reads.kysely.selectFrom('concurrency_limit').select('denied_slots').where('name', '=', 'a').executeTakeFirst()
    if (row && row.denied_slots > denied) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Median delay between the release of a slot on one server and the response to a waiter on another. */
async function measureTakeMs(at1: TestApp, at2: TestApp): Promise<number> {
  await at1.call('POST', `${at}/`, { name: 'a', limit: 1 })
  const times: number[] = []
  let { lease_id } = (await take(at1)).body
  for (let n = 0; n < rounds; n += 1) {
    const waiting = take(at2).then(({ status, body }) => {
      expect(status).toBe(200)
      return { id: body.lease_id as string, at: performance.now() }
    })
    await waitUntilDenied(at2, n + 0.5)
    await at1.call('POST', `${at}/decrement-with-lease`, { lease_id })
    const given = performance.now()
    const next = await waiting
    times.push(next.at - given)
    lease_id = next.id
  }
  return median(times)
}

/** Median delay until a waiting run is due after the release of a slot of its deployment, on the same or another server. */
async function measureDueMs(at1: TestApp, at2: TestApp): Promise<number> {
  at2.startServices()
  const flow = (await at1.call('POST', '/flows/', { name: 'f' })).body.id
  const { body: deployment } = await at1.call('POST', '/deployments/', { name: 'd', flow_id: flow, concurrency_limit: 1 })
  const propose = async (app: TestApp, id: string, type: string) => (await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type } })).body
  const create = async () => (await at1.call('POST', `/deployments/${deployment.id}/create_flow_run`, {})).body.id as string
  const times: number[] = []
  let running = await create()
  await propose(at1, running, 'PENDING')
  for (let n = 0; n < rounds; n += 1) {
    const waiting = await create()
    expect(await propose(at1, waiting, 'PENDING')).toMatchObject({ status: 'REJECT', state: { name: 'AwaitingConcurrencySlot' } })
    const due = new Promise<number>((resolve) => {
      const look = async () => {
        const { state } = (await at2.call('GET', `/flow_runs/${waiting}`)).body
        if (state.message !== 'A slot has come free.') return
        stop()
        resolve(performance.now())
      }
      const stop = at2.context.bus.on('events', () => void look())
    })
    await propose(at1, running, 'COMPLETED')
    const given = performance.now()
    times.push((await due) - given)
    expect(await propose(at1, waiting, 'PENDING')).toMatchObject({ status: 'ACCEPT' })
    running = waiting
  }
  return median(times)
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] as number

eachDialect('a released slot', (setup) => {
  test('goes to a waiting caller within 100 ms', async () => {
    const app = await setup()
    expect(await measureTakeMs(app, app)).toBeLessThan(wakeMsMax)
  })

  test('makes the next run of the deployment due within 100 ms', async () => {
    const app = await setup()
    expect(await measureDueMs(app, app)).toBeLessThan(wakeMsMax)
  })
})

const replicas = createReplicaFactory()

test('a slot released on one server goes to a caller that waits on another within 100 ms', async () => {
  const { apps } = await replicas(2)
  expect(await measureTakeMs(apps[0] as TestApp, apps[1] as TestApp)).toBeLessThan(wakeMsMax)
})

test('a slot released on one server makes the next run due on another within 100 ms', async () => {
  const { apps } = await replicas(2)
  expect(await measureDueMs(apps[0] as TestApp, apps[1] as TestApp)).toBeLessThan(wakeMsMax)
})

import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { slotWaiters } from './slot-waiters.ts'

const { signal } = new AbortController()

/** A deployment with a limit, and runs of it that asked for a slot in this order: the first have one, the others wait. */
async function seedWaitingRuns(app: TestApp, limit: number, runs: number) {
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const { body: deployment } = await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, concurrency_limit: limit })
  const ids: string[] = []
  for (let n = 0; n < runs; n += 1) {
    ids.push((await app.call('POST', `/deployments/${deployment.id}/create_flow_run`, { name: `r${n}` })).body.id)
    app.clock.advance(1)
  }
  for (const id of ids) await propose(app, id, 'PENDING')
  return { ids, deployment }
}

const propose = async (app: TestApp, id: string, type: string) => (await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type } })).body
const stateOf = async (app: TestApp, id: string) => (await app.call('GET', `/flow_runs/${id}`)).body
const readDueRuns = async (app: TestApp, ids: readonly string[]) => {
  const now = (await app.call('POST', '/flow_runs/filter', { flow_runs: { id: { any_: [...ids] } }, sort: 'EXPECTED_START_TIME_ASC' })).body
  const time = app.clock.now() / 1000
  return now
    .filter(({ next_scheduled_start_time: at }: { next_scheduled_start_time: string | null }) => at && Date.parse(at) <= time)
    .map(({ name }: { name: string }) => name)
}

eachDialect('slot-waiters', (setup) => {
  test('wakes as many runs as there are free slots, in order, and they start at once', async () => {
    const app = await setup()
    const { ids } = await seedWaitingRuns(app, 2, 5)
    const [first = '', second = '', third = ''] = ids
    const waiting = ids.slice(2)
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 0 })
    expect(await readDueRuns(app, waiting)).toEqual([])

    await propose(app, first, 'COMPLETED')
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 1 })
    expect(await readDueRuns(app, waiting)).toEqual(['r2'])
    expect((await stateOf(app, third)).state).toMatchObject({ type: 'SCHEDULED', name: 'AwaitingConcurrencySlot', message: 'A slot has come free.' })
    // The slot is reserved, so no other run is woken.
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 0 })

    expect(await propose(app, third, 'PENDING')).toMatchObject({ status: 'ACCEPT' })
    expect(await propose(app, third, 'RUNNING')).toMatchObject({ status: 'ACCEPT' })
    await propose(app, second, 'COMPLETED')
    await propose(app, third, 'COMPLETED')
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 2 })
    expect(await readDueRuns(app, waiting)).toEqual(['r3', 'r4'])
  })

  test('wakes runs when the limit is raised or removed', async () => {
    const app = await setup()
    const { ids, deployment } = await seedWaitingRuns(app, 1, 4)
    const waiting = ids.slice(1)
    await app.call('PATCH', `/v2/concurrency_limits/${deployment.global_concurrency_limit.id}`, { limit: 2 })
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 1 })
    expect(await readDueRuns(app, waiting)).toEqual(['r1'])
    await app.call('PATCH', `/deployments/${deployment.id}`, { concurrency_limit: null })
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 2 })
    expect(await readDueRuns(app, waiting)).toEqual(['r1', 'r2', 'r3'])
  })

  test('wakes the next run when a lease expires', async () => {
    const app = await setup({ env: { MILLRACE_CONCURRENCY_DEPLOYMENT_SLOT_WAIT_SECONDS: '3600' } })
    const { ids } = await seedWaitingRuns(app, 1, 2)
    app.clock.advance(299)
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 0 })
    app.clock.advance(2)
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 1 })
    expect(await readDueRuns(app, ids)).toEqual(['r1'])
  })

  test('wakes no run for a disabled limit', async () => {
    const app = await setup()
    const { deployment } = await seedWaitingRuns(app, 1, 2)
    await app.call('PATCH', `/v2/concurrency_limits/${deployment.global_concurrency_limit.id}`, { limit: 5, active: false })
    expect(await slotWaiters.runOnce(app.context, signal)).toEqual({ woken: 0 })
  })
})

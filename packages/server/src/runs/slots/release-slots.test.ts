import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { leaseExpiration } from '../../services/lease-expiration.ts'
import { retention } from '../../services/retention.ts'

/** A flow whose deployment and whose tag `slot` admit one run each, with a running flow run and a running task run that hold both slots. */
async function holdSlots(app: TestApp) {
  const post = async (path: string, body: unknown) => (await app.call('POST', path, body)).body
  const flow = (await post('/flows/', { name: 'f' })).id
  await post('/concurrency_limits/', { tag: 'slot', concurrency_limit: 1 })
  const deployment = (await post('/deployments/', { name: 'd', flow_id: flow, concurrency_limit: 1 })).id
  const run = (await post(`/deployments/${deployment}/create_flow_run`, {})).id
  for (const type of ['PENDING', 'RUNNING']) await post(`/flow_runs/${run}/set_state`, { state: { type } })
  const startTask = async (flow_run_id: string | null) => {
    const task = (await post('/task_runs/', { flow_run_id, task_key: 't', dynamic_key: randomUUID(), tags: ['slot'], state: { type: 'PENDING' } })).id
    return { task, status: (await post(`/task_runs/${task}/set_state`, { state: { type: 'RUNNING' } })).status as string }
  }
  const { task } = await startTask(run)
  expect(await heldSlots(app)).toEqual({ [`deployment:${deployment}`]: 1, 'tag:slot': 1 })
  return { flow, deployment, run, task, startTask }
}

async function heldSlots(app: TestApp): Promise<Record<string, number>> {
  const rows = await app.context.reads.kysely
    .selectFrom('concurrency_lease')
    .leftJoin('concurrency_limit', 'concurrency_limit.id', 'concurrency_lease.limit_id')
    .select(['concurrency_limit.name', 'concurrency_lease.slots'])
    .execute()
  return Object.fromEntries(rows.map(({ name, slots }) => [name ?? 'no limit', Number(slots)]))
}

const passOf = (service: typeof retention, app: TestApp) => service.runOnce(app.context, new AbortController().signal)

eachDialect('the slots of deleted runs', (setup) => {
  test('are free after the task run is deleted, and the next one starts', async () => {
    const app = await setup()
    const { run, task, deployment, startTask } = await holdSlots(app)
    expect((await startTask(run)).status).toBe('WAIT')
    let woken = 0
    app.context.bus.on('slots', () => {
      woken += 1
    })
    expect((await app.call('DELETE', `/task_runs/${task}`)).status).toBe(204)
    expect(await heldSlots(app)).toEqual({ [`deployment:${deployment}`]: 1 })
    expect(woken).toBe(1)
    expect((await startTask(run)).status).toBe('ACCEPT')
  })

  test.each(['alone', 'in bulk'])('are free after the flow run is deleted %s', async (how) => {
    const app = await setup()
    const { run, startTask } = await holdSlots(app)
    const deleted =
      how === 'alone'
        ? await app.call('DELETE', `/flow_runs/${run}`)
        : await app.call('POST', '/flow_runs/bulk_delete', { flow_runs: { id: { any_: [run] } } })
    expect(deleted.status).toBeLessThan(300)
    expect(await heldSlots(app)).toEqual({})
    expect((await startTask(null)).status).toBe('ACCEPT')
  })

  test.each(['alone', 'in bulk'])('are free after the flow is deleted %s', async (how) => {
    const app = await setup()
    const { flow } = await holdSlots(app)
    const deleted =
      how === 'alone' ? await app.call('DELETE', `/flows/${flow}`) : await app.call('POST', '/flows/bulk_delete', { flows: { id: { any_: [flow] } } })
    expect(deleted.status).toBeLessThan(300)
    expect(await heldSlots(app)).toEqual({})
  })

  test('are free after retention has deleted a finished run whose task never ended', async () => {
    const app = await setup({ env: { MILLRACE_FLOW_RUNS_RETENTION_DAYS: '1' } })
    const { run } = await holdSlots(app)
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'COMPLETED' }, force: true })
    expect(await heldSlots(app)).toEqual({ 'tag:slot': 1 })
    app.clock.advance(2 * 86_400)
    expect(await passOf(retention, app)).toMatchObject({ flow_runs: 1 })
    expect(await heldSlots(app)).toEqual({})
  })

  test('of other runs stay held', async () => {
    const app = await setup()
    const { flow, run } = await holdSlots(app)
    const held = await heldSlots(app)
    const other = (await app.call('POST', '/flows/', { name: 'other' })).body.id
    const finished = (await app.call('POST', '/flow_runs/', { flow_id: flow })).body.id
    await app.call('DELETE', `/flow_runs/${finished}`)
    await app.call('DELETE', `/flows/${other}`)
    app.clock.advance(3600)
    expect(await passOf(leaseExpiration, app)).toEqual({ expired: 0, rebased: 0, abandoned: 0 })
    expect(await heldSlots(app)).toEqual(held)
    expect((await app.call('GET', `/flow_runs/${run}`)).status).toBe(200)
  })

  test('are found by a pass where a deletion has left them', async () => {
    const app = await setup()
    const { run, deployment } = await holdSlots(app)
    // As servers did that released only the slots of flow runs, or none.
    await app.context.commands.submit((tx) => tx.kysely.deleteFrom('flow_run').where('id', '=', run).execute())
    expect(await heldSlots(app)).toEqual({ [`deployment:${deployment}`]: 1, 'tag:slot': 1 })
    // The run may be recorded later than its slot.
    expect(await passOf(leaseExpiration, app)).toMatchObject({ abandoned: 0 })
    app.clock.advance(601)
    expect(await passOf(leaseExpiration, app)).toMatchObject({ abandoned: 2 })
    expect(await heldSlots(app)).toEqual({})
  })

  test('are found by a pass among any number of leases', async () => {
    const app = await setup()
    const { run } = await holdSlots(app)
    await app.call('POST', '/concurrency_limits/', { tag: 'many', concurrency_limit: 2000 })
    const lease = {
      lease_id: randomUUID(),
      limit_id: null,
      slots: 1,
      holder_type: 'flow_run',
      holder_id: run,
      created: app.clock.now(),
      expires: null,
    }
    const leases = Array.from({ length: 1200 }, (_, index) => ({
      ...lease,
      id: randomUUID(),
      holder_id: index === 1100 ? randomUUID() : run,
      lease_id: randomUUID(),
    }))
    await app.context.commands.submit((tx) => tx.insert('concurrency_lease', leases))
    app.clock.advance(601)
    expect(await passOf(leaseExpiration, app)).toMatchObject({ abandoned: 1 })
  })
})

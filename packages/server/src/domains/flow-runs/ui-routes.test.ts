import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('dashboard queries of flow runs', (setup) => {
  test('lists chart points by expected start, latest first', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const scheduled = (at: string) => ({ type: 'SCHEDULED', state_details: { scheduled_time: at } })
    const late = (await app.call('POST', '/flow_runs/', { flow_id, state: scheduled('2029-12-31T23:59:00Z') })).body.id
    const planned = (await app.call('POST', '/flow_runs/', { flow_id, state: scheduled('2030-01-01T01:00:00Z') })).body.id
    await app.call('POST', `/flow_runs/${late}/set_state`, { state: { type: 'RUNNING' } })
    app.clock.advance(30)

    const { body } = await app.call('POST', '/ui/flow_runs/history', {})
    expect(body).toMatchObject([
      { id: planned, state_type: 'SCHEDULED', timestamp: '2030-01-01T01:00:00Z', duration: 0, lateness: 0 },
      { id: late, state_type: 'RUNNING' },
    ])
    expect(body[1].timestamp).toMatch(/^2030-01-01T00:00:00/)
    expect(body[1].duration).toBeCloseTo(30, 2)
    expect(body[1].lateness).toBeCloseTo(60, 2)
    expect((await app.call('POST', '/ui/flow_runs/history', { flow_runs: { state: { type: { any_: ['RUNNING'] } } }, limit: 5 })).body).toMatchObject(
      [{ id: late }],
    )
    expect((await app.call('POST', '/ui/flow_runs/history', { limit: 1001 })).status).toBe(422)
  })

  test('counts task runs by flow run without subflows', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const run = async (body: object = {}) => (await app.call('POST', '/flow_runs/', { flow_id, ...body })).body.id as string
    const [busy, idle] = [await run(), await run()]
    const task = async (n: number) =>
      (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: `${n}`, flow_run_id: busy })).body.id as string
    await task(1)
    await task(2)
    await run({ parent_task_run_id: await task(3) })
    const missingId = '00000000-0000-4000-8000-000000000000'
    expect((await app.call('POST', '/ui/flow_runs/count-task-runs', { flow_run_ids: [idle, busy, missingId] })).body).toEqual({
      [idle]: 0,
      [busy]: 2,
      [missingId]: 0,
    })
    expect((await app.call('POST', '/ui/flow_runs/count-task-runs', { flow_run_ids: [] })).body).toEqual({})
  })
})

import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('POST /ui/flow_runs/latest', (setup) => {
  test('returns the last due runs and the next scheduled start', async () => {
    const app = await setup()
    const create = async (url: string, body: object) => (await app.call('POST', url, body)).body
    const flow = await create('/flows/', { name: 'f' })
    const idle = await create('/flows/', { name: 'idle' })
    const deployment = await create('/deployments/', { name: 'd', flow_id: flow.id })
    const run = (name: string, scheduled_time: string) =>
      create(`/deployments/${deployment.id}/create_flow_run`, { name, state: { type: 'SCHEDULED', state_details: { scheduled_time } } })
    await run('first', '2029-12-31T20:00:00Z')
    const second = await run('second', '2029-12-31T22:00:00Z')
    await run('soon', '2030-01-01T02:00:00Z')
    await run('later', '2030-01-02T02:00:00Z')
    await app.call('POST', `/flow_runs/${second.id}/set_state`, { state: { type: 'RUNNING' }, force: true })
    app.clock.advance(2.5)
    await app.call('POST', `/flow_runs/${second.id}/set_state`, { state: { type: 'COMPLETED' }, force: true })

    const { body } = await app.call('POST', '/ui/flow_runs/latest', { flow_ids: [flow.id, idle.id], deployment_ids: [deployment.id] })
    expect(body[idle.id]).toEqual({ last: [], next_scheduled_start_time: null })
    expect(body[deployment.id]).toEqual(body[flow.id])
    expect(body[flow.id]).toMatchObject({
      last: [
        { name: 'second', state_type: 'COMPLETED', start_time: expect.any(String) },
        { name: 'first', state_type: 'SCHEDULED', start_time: null },
      ],
      next_scheduled_start_time: '2030-01-01T02:00:00Z',
    })
    expect(body[flow.id].last[0].total_run_time).toBeCloseTo(2.5, 2)
    const one = await app.call('POST', '/ui/flow_runs/latest', { flow_ids: [flow.id], limit: 1 })
    expect(one.body[flow.id].last).toHaveLength(1)
    expect((await app.call('POST', '/ui/flow_runs/latest', { limit: 51 })).status).toBe(422)
  })
})

import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('dashboard queries of flows', (setup) => {
  test('returns the next scheduled run of each flow', async () => {
    const app = await setup()
    const flow = async (name: string) => (await app.call('POST', '/flows/', { name })).body.id as string
    const [busy, done] = [await flow('busy'), await flow('done')]
    const run = async (flow_id: string, name: string, at: string) =>
      (await app.call('POST', '/flow_runs/', { flow_id, name, state: { type: 'SCHEDULED', state_details: { scheduled_time: at } } })).body
        .id as string
    await run(busy, 'later', '2030-01-03T00:00:00Z')
    const sooner = await run(busy, 'sooner', '2030-01-02T00:00:00Z')
    const started = await run(busy, 'started', '2030-01-01T00:00:00Z')
    await app.call('POST', `/flow_runs/${started}/set_state`, { state: { type: 'PENDING' } })
    await app.call('POST', '/flow_runs/', { flow_id: done, state: { type: 'COMPLETED' } })

    const { body } = await app.call('POST', '/ui/flows/next-runs', { flow_ids: [done, busy] })
    expect(body).toEqual({
      [done]: null,
      [busy]: {
        id: sooner,
        flow_id: busy,
        name: 'sooner',
        state_name: 'Scheduled',
        state_type: 'SCHEDULED',
        next_scheduled_start_time: '2030-01-02T00:00:00Z',
      },
    })
  })

  test('counts the deployments of each flow', async () => {
    const app = await setup()
    const flow = async (name: string) => (await app.call('POST', '/flows/', { name })).body.id as string
    const [busy, idle] = [await flow('busy'), await flow('idle')]
    for (const name of ['one', 'two']) await app.call('POST', '/deployments/', { name, flow_id: busy })
    expect((await app.call('POST', '/ui/flows/count-deployments', { flow_ids: [idle, busy] })).body).toEqual({ [idle]: 0, [busy]: 2 })
  })
})

import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { lateRuns } from './late-runs.ts'

const runPass = (app: TestApp) => lateRuns.runOnce(app.context, new AbortController().signal)

async function createFlow(app: TestApp): Promise<string> {
  return (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
}

const scheduled = (time: string, name?: string) => ({ type: 'SCHEDULED', ...(name ? { name } : {}), state_details: { scheduled_time: time } })

eachDialect('late-runs', (setup) => {
  test('marks a run as Late once, 15 seconds after its start time, and keeps that time', async () => {
    const app = await setup()
    const flow_id = await createFlow(app)
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, state: scheduled('2030-01-01T00:00:00Z') })).body
    app.clock.advance(14)
    expect(await runPass(app)).toEqual({ marked: 0 })
    app.clock.advance(2)
    expect(await runPass(app)).toEqual({ marked: 1 })
    expect(await runPass(app)).toEqual({ marked: 0 })
    expect((await app.call('GET', `/flow_runs/${id}`)).body).toMatchObject({
      state_type: 'SCHEDULED',
      state_name: 'Late',
      next_scheduled_start_time: '2030-01-01T00:00:00Z',
      state: { state_details: { scheduled_time: '2030-01-01T00:00:00Z' } },
    })
    expect((await app.eventNames()).at(-1)).toBe('prefect.flow-run.Late')
  })

  test('ignores scheduled states with another name', async () => {
    const app = await setup()
    const flow_id = await createFlow(app)
    for (const name of ['AwaitingRetry', 'Resuming', 'AwaitingConcurrencySlot'])
      await app.call('POST', '/flow_runs/', { flow_id, state: scheduled('2029-12-31T00:00:00Z', name) })
    expect(await runPass(app)).toEqual({ marked: 0 })
  })

  test('cancels runs of a full deployment with the strategy CANCEL_NEW', async () => {
    const app = await setup()
    const flow_id = await createFlow(app)
    const deployment = (
      await app.call('POST', '/deployments/', { name: 'd', flow_id, concurrency_limit: 1, concurrency_options: { collision_strategy: 'CANCEL_NEW' } })
    ).body.id
    const run = async () => (await app.call('POST', `/deployments/${deployment}/create_flow_run`, {})).body.id
    const [first, second] = [await run(), await run()]
    await app.call('POST', `/flow_runs/${first}/set_state`, { state: { type: 'PENDING' } })
    app.clock.advance(20)
    expect(await runPass(app)).toEqual({ marked: 1 })
    expect((await app.call('GET', `/flow_runs/${second}`)).body.state_type).toBe('CANCELLED')
  })

  test('handles any number of runs', async () => {
    const app = await setup()
    const flow_id = await createFlow(app)
    await Promise.all(Array.from({ length: 450 }, () => app.call('POST', '/flow_runs/', { flow_id, state: scheduled('2029-12-31T00:00:00Z') })))
    expect(await runPass(app)).toEqual({ marked: 450 })
    expect((await app.call('POST', '/flow_runs/count', { flow_runs: { state: { name: { any_: ['Late'] } } } })).body).toBe(450)
  })
})

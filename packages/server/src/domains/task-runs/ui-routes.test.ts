import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

let made = 0

/** A task run that starts at the time of the clock and ends in this state. */
async function finished(app: TestApp, type: string | null, body: object = {}): Promise<string> {
  made += 1
  const { id } = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: `${made}`, ...body })).body
  await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true })
  if (type) await app.call('POST', `/task_runs/${id}/set_state`, { state: { type }, force: true })
  return id
}

eachDialect('dashboard queries of task runs', (setup) => {
  test('counts finished runs in twenty buckets', async () => {
    const app = await setup()
    for (const type of ['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED', null]) await finished(app, type)
    app.clock.advance(19 * 60)
    await finished(app, 'COMPLETED')
    app.clock.advance(50)

    const counts = async (body: object) => (await app.call('POST', '/ui/task_runs/dashboard/counts', body)).body
    const body = await counts({ task_runs: { start_time: { after_: '2030-01-01T00:00:00Z' } } })
    expect(body).toHaveLength(20)
    expect(body[0]).toEqual({ completed: 2, failed: 2 })
    expect(body[19]).toEqual({ completed: 1, failed: 0 })
    expect(body.slice(1, 19).every(({ completed, failed }: { completed: number; failed: number }) => completed + failed === 0)).toBe(true)

    const early = await counts({ task_runs: { start_time: { after_: '2030-01-01T00:00:00Z', before_: '2030-01-01T00:09:30Z' } } })
    expect(early[0]).toEqual({ completed: 2, failed: 2 })
    expect(early[19]).toEqual({ completed: 0, failed: 0 })
    const none = await counts({ task_runs: { start_time: { after_: '2031-01-01T00:00:00Z' } } })
    expect(none).toEqual(Array(20).fill({ completed: 0, failed: 0 }))
    expect(await counts({ task_runs: { start_time: { after_: '2030-01-01T00:00:00Z' } }, flows: { name: { any_: ['none'] } } })).toEqual(none)
  })

  test('requires the start of the chart', async () => {
    const app = await setup()
    const { status, body } = await app.call('POST', '/ui/task_runs/dashboard/counts', {
      task_runs: { start_time: { before_: '2030-01-01T00:00:00Z' } },
    })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', 'task_runs', 'start_time', 'after_'])
  })

  test('counts by state type and returns a run with the name of its flow run', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const flow_run_id = (await app.call('POST', '/flow_runs/', { flow_id, name: 'main', state: { type: 'RUNNING' } })).body.id
    const id = await finished(app, 'COMPLETED', { flow_run_id })
    const withoutFlowRun = await finished(app, null)
    const all = (await app.call('POST', '/ui/task_runs/count', {})).body
    expect(all).toEqual({ SCHEDULED: 0, PENDING: 0, RUNNING: 1, COMPLETED: 1, FAILED: 0, CANCELLED: 0, CRASHED: 0, PAUSED: 0, CANCELLING: 0 })
    expect((await app.call('POST', '/ui/task_runs/count', { flows: { name: { any_: ['a flow'] } } })).body).toMatchObject({
      RUNNING: 0,
      COMPLETED: 1,
    })

    const run = (await app.call('GET', `/task_runs/${id}`)).body
    expect((await app.call('GET', `/ui/task_runs/${id}`)).body).toEqual({ ...run, flow_run_name: 'main' })
    expect((await app.call('GET', `/ui/task_runs/${withoutFlowRun}`)).body.flow_run_name).toBeNull()
    expect((await app.call('GET', '/ui/task_runs/00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })
})

import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { scheduler } from './scheduler.ts'

interface Run {
  id: string
  expected_start_time: string
  parameters: object
  auto_scheduled: boolean
}

const runPass = (app: TestApp) => scheduler.runOnce(app.context, new AbortController().signal)
const readPlannedTimes = async (app: TestApp, id: string) =>
  (await app.call('POST', '/flow_runs/filter', { flow_runs: { deployment_id: { any_: [id] } }, sort: 'EXPECTED_START_TIME_ASC' })).body.map(
    (run: Run) => run.expected_start_time.slice(11, 19),
  )

async function createDeployment(app: TestApp, body: object = {}): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  const schedules = [{ schedule: { cron: '*/30 * * * *' }, parameters: { b: 2 } }]
  return (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, tags: ['t'], parameters: { a: 1 }, schedules, ...body })).body.id
}

eachDialect('scheduler', (setup) => {
  test('creates runs ahead of time, once', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    expect(await runPass(app)).toEqual({ scheduled: 3 })
    expect(await readPlannedTimes(app, id)).toEqual(['00:30:00', '01:00:00', '01:30:00'])
    expect(await runPass(app)).toEqual({ scheduled: 0 })
    app.clock.advance(1800)
    expect(await runPass(app)).toEqual({ scheduled: 1 })
    expect(await readPlannedTimes(app, id)).toEqual(['00:30:00', '01:00:00', '01:30:00', '02:00:00'])
  })

  test('plans the full day after a clock that was a day ahead is corrected', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    await runPass(app)
    const start = app.clock.now()
    app.clock.advance(86_400)
    await runPass(app)
    app.clock.set(start)
    for (let halfHour = 0; halfHour < 48; halfHour += 1) {
      await runPass(app)
      app.clock.advance(1800)
    }
    const planned = await readPlannedTimes(app, id)
    const day = Array.from({ length: 48 }, (_, n) => `${String(Math.floor(n / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}:00`)
    // From 00:30 of the first day on, every half hour once.
    expect(planned.slice(0, 47)).toEqual(day.slice(1))
    expect(
      new Set((await app.context.reads.kysely.selectFrom('flow_run').select('expected_start_time').execute()).map((run) => run.expected_start_time))
        .size,
    ).toBe(planned.length)
  })

  test('sets the creator of a run and emits no event for a scheduled run', async () => {
    const app = await setup()
    const id = await createDeployment(app, {
      tags: ['t', 't'],
      schedules: [{ schedule: { interval: 86_400, anchor_date: '2030-01-01T09:30:00Z' }, slug: 'daily', parameters: { b: 2 } }],
    })
    await runPass(app)
    const [run] = (await app.call('POST', '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_ASC' })).body
    const schedule = (await app.call('GET', `/deployments/${id}/schedules`)).body[0].id
    expect(run).toMatchObject({
      auto_scheduled: true,
      tags: ['auto-scheduled', 't', 't'],
      parameters: { a: 1, b: 2 },
      idempotency_key: `scheduled ${id} ${schedule} 2030-01-01 09:30:00+00:00`,
      created_by: { id: schedule, type: 'SCHEDULE', display_value: 'daily' },
      labels: { 'prefect.deployment.id': id },
      state: { name: 'Scheduled', state_details: { scheduled_time: '2030-01-01T09:30:00Z' } },
    })
    expect(await app.eventNames()).toEqual(['prefect.flow.created', 'prefect.deployment.created'])
  })

  test('formats the idempotency key in the time zone of the schedule', async () => {
    const app = await setup()
    await createDeployment(app, { schedules: [{ schedule: { cron: '30 9 * * *', timezone: 'America/New_York' } }] })
    await runPass(app)
    const [run] = (await app.call('POST', '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_ASC' })).body
    expect(run).toMatchObject({
      expected_start_time: '2030-01-01T14:30:00Z',
      idempotency_key: expect.stringMatching(/ 2030-01-01 09:30:00-05:00$/),
    })
  })

  test('does not change a deployment that is already paused', async () => {
    const app = await setup()
    const id = await createDeployment(app, { paused: true })
    const updated = async () => (await app.call('GET', `/deployments/${id}`)).body.updated
    const before = await updated()
    app.clock.advance(5)
    await app.call('POST', `/deployments/${id}/pause_deployment`)
    expect(await updated()).toBe(before)
    await app.call('POST', `/deployments/${id}/resume_deployment`)
    expect(await updated()).not.toBe(before)
  })

  test('skips paused deployments and inactive schedules until they are active again', async () => {
    const app = await setup()
    const id = await createDeployment(app, { paused: true })
    const [schedule] = (await app.call('GET', `/deployments/${id}/schedules`)).body
    expect(await runPass(app)).toEqual({ scheduled: 0 })
    await app.call('POST', `/deployments/${id}/resume_deployment`)
    expect(await runPass(app)).toEqual({ scheduled: 3 })
    await app.call('POST', `/deployments/${id}/pause_deployment`)
    expect(await readPlannedTimes(app, id)).toEqual([])
    await app.call('PATCH', `/deployments/${id}`, { paused: false })
    expect(await runPass(app)).toEqual({ scheduled: 3 })
    await app.call('PATCH', `/deployments/${id}/schedules/${schedule.id}`, { active: false })
    expect(await readPlannedTimes(app, id)).toEqual([])
    expect(await runPass(app)).toEqual({ scheduled: 0 })
    await app.call('PATCH', `/deployments/${id}/schedules/${schedule.id}`, { active: true })
    expect(await runPass(app)).toEqual({ scheduled: 3 })
    await app.call('DELETE', `/deployments/${id}/schedules/${schedule.id}`)
    expect(await readPlannedTimes(app, id)).toEqual([])
  })

  test('replaces the runs of a changed schedule, keeps started runs and skips no time', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    await runPass(app)
    await app.call('POST', `/deployments/${id}/create_flow_run`, {
      name: 'by hand',
      state: { type: 'SCHEDULED', state_details: { scheduled_time: '2030-01-01T03:00:00Z' } },
    })
    app.clock.advance(1799)
    await app.call('PATCH', `/deployments/${id}`, { parameters: { a: 5 } })
    expect(await readPlannedTimes(app, id)).toEqual(['03:00:00'])
    // The instant passes between the change and the pass.
    app.clock.advance(2)
    await runPass(app)
    const runs: Run[] = (await app.call('POST', '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_ASC' })).body
    expect(runs.map((run) => run.expected_start_time.slice(11, 16))).toEqual(['00:30', '01:00', '01:30', '02:00', '03:00'])
    expect(runs[0]?.parameters).toEqual({ a: 5, b: 2 })
    expect(runs.at(-1)).toMatchObject({ auto_scheduled: false })
  })

  test('creates deleted runs again', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    await runPass(app)
    const runs: Run[] = (await app.call('POST', '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_ASC' })).body
    await app.call('DELETE', `/flow_runs/${runs[1]?.id}`)
    expect(await runPass(app)).toEqual({ scheduled: 1 })
    expect(await readPlannedTimes(app, id)).toEqual(['00:30:00', '01:00:00', '01:30:00'])
  })

  test('writes runs in small batches until all exist', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_SCHEDULER_INSERT_BATCH_SIZE: '5', MILLRACE_SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE: '3' } })
    for (let n = 0; n < 8; n += 1) await createDeployment(app, { name: `d${n}` })
    expect(await runPass(app)).toEqual({ scheduled: 24 })
    expect(await runPass(app)).toEqual({ scheduled: 0 })
  })

  test('stops between transactions when aborted', async () => {
    const app = await setup()
    await createDeployment(app)
    expect(await scheduler.runOnce(app.context, AbortSignal.abort())).toEqual({ scheduled: 0 })
  })
})

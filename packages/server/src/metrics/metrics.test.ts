import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { eachDialect, startApp, type TestApp } from '../../test/setup.ts'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

async function readSamples(app: TestApp, path = '/metrics'): Promise<Sample[]> {
  const response = await app.server.inject({ method: 'GET', url: path })
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.body
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      return {
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])),
        value: Number(value),
      }
    })
}

function sampleValue(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  return samples.find((sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text))?.value
}

eachDialect('metrics', (setup) => {
  test('reports requests, transitions, queues, slots and the event log', async () => {
    const app = await setup()
    const flow = (await app.call('POST', '/api/flows/', { name: 'etl' })).body
    await app.call('POST', '/api/work_pools/', { name: 'local', type: 'process' })
    const deployment = (await app.call('POST', '/api/deployments/', { name: 'nightly', flow_id: flow.id, work_pool_name: 'local' })).body
    const scheduled = { state: { type: 'SCHEDULED', state_details: { scheduled_time: '2029-12-31T23:59:00Z' } } }
    for (let n = 0; n < 3; n += 1) await app.call('POST', `/api/deployments/${deployment.id}/create_flow_run`, scheduled)
    const { body: taken } = await app.call('POST', `/api/deployments/${deployment.id}/create_flow_run`, scheduled)
    await app.call('POST', `/api/flow_runs/${taken.id}/set_state`, { state: { type: 'PENDING' } })
    await app.call('POST', `/api/flow_runs/${taken.id}/set_state`, { state: { type: 'RUNNING' } })
    await app.call('POST', '/api/v2/concurrency_limits/', { name: 'database', limit: 5, active: true })
    await app.call('POST', '/api/v2/concurrency_limits/increment', { names: ['database'], slots: 2 })
    await app.call('GET', '/api/nowhere')

    const samples = await readSamples(app)
    expect(sampleValue(samples, 'millrace_flow_runs', { state_type: 'SCHEDULED' })).toBe(3)
    expect(sampleValue(samples, 'millrace_flow_runs', { state_type: 'RUNNING' })).toBe(1)
    expect(sampleValue(samples, 'millrace_flow_runs', { state_type: 'COMPLETED' })).toBe(0)
    const queue = { work_pool: 'local', work_queue: 'default' }
    expect(sampleValue(samples, 'millrace_work_queue_due_runs', queue)).toBe(3)
    expect(sampleValue(samples, 'millrace_work_queue_lateness_seconds', queue)).toBeGreaterThanOrEqual(60)
    expect(sampleValue(samples, 'millrace_flow_runs_active', { ...queue, state_type: 'RUNNING' })).toBe(1)
    expect(sampleValue(samples, 'millrace_concurrency_limit_slots', { limit: 'database' })).toBe(5)
    expect(sampleValue(samples, 'millrace_concurrency_limit_slots_taken', { limit: 'database' })).toBe(2)
    const requests = { method: 'POST', route: '/flow_runs/:id/set_state' }
    expect(sampleValue(samples, 'millrace_http_requests_total', { ...requests, status: '201' })).toBe(2)
    expect(sampleValue(samples, 'millrace_http_request_duration_seconds_count', requests)).toBe(2)
    expect(sampleValue(samples, 'millrace_http_requests_total', { method: 'GET', route: '', status: '404' })).toBe(1)
    expect(sampleValue(samples, 'millrace_state_transitions_total', { kind: 'flow-run', state_type: 'RUNNING' })).toBe(1)
    expect(sampleValue(samples, 'millrace_write_duration_seconds_count')).toBeGreaterThan(5)
    expect(sampleValue(samples, 'millrace_event_log_tail_events')).toBe(sampleValue(samples, 'millrace_events_written_total'))
    expect(sampleValue(samples, 'millrace_database_bytes')).toBeGreaterThan(100_000)
    expect(sampleValue(samples, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  })

  test('adds what was counted since the last scrape', async () => {
    const app = await setup()
    const route = { method: 'GET', route: '/flows/:id' }
    const [found, missing] = [
      { ...route, status: '200' },
      { ...route, status: '404' },
    ]
    const change = { kind: 'flow-run', state_type: 'PENDING' }
    const { body: flow } = await app.call('POST', '/api/flows/', { name: 'etl' })
    for (const wanted of [1, 2]) {
      await app.call('GET', `/api/flows/${flow.id}`)
      await app.call('POST', '/api/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })
      const samples = await readSamples(app)
      expect(sampleValue(samples, 'millrace_http_requests_total', found)).toBe(wanted)
      expect(sampleValue(samples, 'millrace_http_request_duration_seconds_count', route)).toBe(wanted)
      expect(sampleValue(samples, 'millrace_http_requests_total', missing)).toBeUndefined()
      expect(sampleValue(samples, 'millrace_state_transitions_total', change)).toBe(wanted)
    }
    expect(sampleValue(await readSamples(app), 'millrace_http_requests_total', found)).toBe(2)
  })

  test('counts unread events only while an automation is enabled', async () => {
    const app = await setup()
    await app
      .call('POST', '/api/flows/', { name: 'etl' })
      .then(({ body }) => app.call('POST', '/api/flow_runs/', { flow_id: body.id, state: { type: 'RUNNING' } }))
    expect(sampleValue(await readSamples(app), 'millrace_automation_lag_events')).toBe(0)

    const other = await setup()
    const trigger = { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], threshold: 1, within: 0 }
    const created = await other.call('POST', '/api/automations/', { name: 'watch', trigger, actions: [{ type: 'do-nothing' }] })
    expect(created.status).toBe(201)
    const flow = (await other.call('POST', '/api/flows/', { name: 'etl' })).body
    await other.call('POST', '/api/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } })
    other.clock.advance(30)
    const samples = await readSamples(other, '/api/metrics')
    expect(sampleValue(samples, 'millrace_automation_lag_events')).toBeGreaterThanOrEqual(1)
    expect(sampleValue(samples, 'millrace_automation_lag_seconds')).toBeGreaterThanOrEqual(30)
  })
})

async function startSqlite(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true', ...env } })
  onTestFinished(() => app.close())
  return app
}

test('needs the password and can be switched off', async () => {
  const locked = await startSqlite({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret' })
  expect((await locked.server.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(401)
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`
  expect((await locked.server.inject({ method: 'GET', url: '/metrics', headers: { authorization } })).statusCode).toBe(200)

  const off = await startSqlite({ PREFECT_SERVER_METRICS_ENABLED: 'false' })
  expect((await off.server.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(404)
})

test('has an entry in docs/metrics.md for each metric, and none for others', async () => {
  const app = await startSqlite()
  const { body } = await app.server.inject({ method: 'GET', url: '/metrics' })
  const reported = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name).sort()
  const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name).sort()
  expect(documented).toEqual(reported)
})

import { afterEach, expect, test } from 'vitest'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { MICROS_PER_SECOND, machineClock, toMicros } from '../src/lib/time.ts'
import { cancellation } from '../src/services/cancellation.ts'
import { lateRuns } from '../src/services/late-runs.ts'
import { leaseExpiration } from '../src/services/lease-expiration.ts'
import { scheduler } from '../src/services/scheduler.ts'
import { workerMonitor } from '../src/services/worker-monitor.ts'
import { migratedPostgres } from './databases.ts'
import { runService } from './setup.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Servers on one PostgreSQL database whose machine clocks are off by these numbers of seconds. */
async function startSkewedReplicas(...skews: number[]) {
  const { url, drop } = await migratedPostgres()
  cleanups.push(drop)
  const warnings: string[] = []
  const apps: App[] = []
  for (const skew of skews) {
    const machine = machineClock()
    const config = readConfig({ MILLRACE_DATABASE_URL: url, MILLRACE_DATABASE_POOL_SIZE: '4' }, []).config
    const stream = { write: (line: string) => void (JSON.parse(line).level >= 40 && warnings.push(JSON.parse(line).msg)) }
    const app = await buildApp({
      config,
      machine: { wall: () => machine.wall() + skew * MICROS_PER_SECOND, monotonic: () => machine.monotonic() },
      logger: { level: 'warn', stream },
    })
    cleanups.push(() => app.close())
    apps.push(app)
  }
  const call = async (by: number, method: 'GET' | 'POST', path: string, payload?: object) => {
    const { statusCode, body } = await (apps[by] as App).server.inject({ method, url: path, ...(payload ? { payload } : {}) })
    return { status: statusCode, body: body === '' ? null : JSON.parse(body) }
  }
  const pass = async (by: number) => {
    for (const service of [leaseExpiration, lateRuns, cancellation, workerMonitor, scheduler]) await runService(apps[by] as App, service)
  }
  return { apps, call, pass, warnings }
}

const [right, ahead, behind] = [0, 1, 2]
const hour = 3600

test('replicas an hour ahead and behind write the time of the database and warn about their clocks', async () => {
  const { apps, call, warnings } = await startSkewedReplicas(0, hour, -hour)
  for (const app of apps) {
    const { body } = await call(apps.indexOf(app), 'POST', '/flows/', { name: `f${apps.indexOf(app)}` })
    expect(Math.abs(toMicros(body.created) - machineClock().wall())).toBeLessThan(30 * MICROS_PER_SECOND)
  }
  expect(warnings).toEqual([expect.stringContaining('3600.0 s ahead of the database'), expect.stringContaining('3600.0 s behind the database')])
  const { clock } = (await call(ahead, 'GET', '/admin/settings')).body
  expect(clock).toEqual({ source: 'database', skew_seconds: expect.closeTo(hour, 0) })
})

test('a lease stays valid on all replicas, and its limit is never held twice', async () => {
  const { call, pass } = await startSkewedReplicas(0, hour, -hour)
  await call(right, 'POST', '/v2/concurrency_limits/', { name: 'one', limit: 1 })
  const take = (by: number) => call(by, 'POST', '/v2/concurrency_limits/increment-with-lease', { names: ['one'], slots: 1, lease_duration: 60 })
  const { status, body } = await take(right)
  expect(status).toBe(200)
  for (const by of [ahead, behind]) {
    await pass(by)
    expect((await take(by)).status).toBe(423)
    expect((await call(by, 'POST', `/v2/concurrency_limits/leases/${body.lease_id}/renew`, { lease_duration: 60 })).status).toBe(204)
  }
  await pass(right)
  expect((await take(right)).status).toBe(423)
})

test('a replica that is ahead marks no run late, ends no cancellation early and takes no worker offline', async () => {
  const { call, pass, apps } = await startSkewedReplicas(0, hour)
  const flow = (await call(right, 'POST', '/flows/', { name: 'f' })).body.id
  const scheduled_time = new Date(Date.now() + 600_000).toISOString()
  const due = (await call(right, 'POST', '/flow_runs/', { flow_id: flow, state: { type: 'SCHEDULED', state_details: { scheduled_time } } })).body.id
  const cancelling = (await call(right, 'POST', '/flow_runs/', { flow_id: flow, state: { type: 'RUNNING' } })).body.id
  await call(right, 'POST', `/flow_runs/${cancelling}/set_state`, { state: { type: 'CANCELLING' }, force: true })
  await call(right, 'POST', '/work_pools/', { name: 'p', type: 'process' })
  await call(right, 'POST', '/work_pools/p/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 30 })
  await pass(ahead)
  expect((await call(right, 'GET', `/flow_runs/${due}`)).body.state_name).toBe('Scheduled')
  expect((await call(right, 'GET', `/flow_runs/${cancelling}`)).body.state_type).toBe('CANCELLING')
  const workers = await (apps[right] as App).context.reads.kysely.selectFrom('worker').select(['name', 'status']).execute()
  expect(workers).toEqual([{ name: 'w', status: 'ONLINE' }])
})

test('replicas an hour ahead and behind plan each instant of a correct clock once', async () => {
  const { call, pass, apps } = await startSkewedReplicas(0, hour, -hour)
  const flow = (await call(right, 'POST', '/flows/', { name: 'f' })).body.id
  await call(behind, 'POST', '/deployments/', { name: 'd', flow_id: flow, schedules: [{ schedule: { cron: '* * * * *' } }] })
  await Promise.all([pass(ahead), pass(behind), pass(right)])
  const runs = await (apps[right] as App).context.reads.kysely
    .selectFrom('flow_run')
    .select('expected_start_time')
    .orderBy('expected_start_time')
    .execute()
  const minute = 60 * MICROS_PER_SECOND
  const first = runs[0]?.expected_start_time as number
  expect(first - machineClock().wall()).toBeLessThanOrEqual(minute)
  expect(runs.map((run) => run.expected_start_time)).toEqual(Array.from({ length: runs.length }, (_, n) => first + n * minute))
  expect(runs.length).toBeGreaterThanOrEqual(60)
})

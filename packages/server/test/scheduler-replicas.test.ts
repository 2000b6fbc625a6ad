import { afterEach, expect, test } from 'vitest'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { seededRandom } from '../src/lib/random.ts'
import { formatTime, MICROS_PER_SECOND, toMicros } from '../src/lib/time.ts'
import { scheduler } from '../src/services/scheduler.ts'
import { migratedPostgres } from './databases.ts'
import { runService, testClock } from './setup.ts'

const start = '2030-01-01T00:00:00.500000Z'
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Servers that share a database and a clock. */
async function startReplicas(count: number, env: Record<string, string> = {}) {
  const { url, drop } = await migratedPostgres()
  cleanups.push(drop)
  const clock = testClock(start)
  const apps: App[] = []
  for (let n = 0; n < count; n += 1) {
    const config = readConfig({ MILLRACE_DATABASE_URL: url, MILLRACE_DATABASE_POOL_SIZE: '4', ...env }, []).config
    const app = await buildApp({ config, clock, random: seededRandom(n + 1) })
    cleanups.push(() => app.close())
    apps.push(app)
  }
  const call = async (method: 'POST' | 'PATCH', path: string, payload?: object, by = 0) => {
    const { statusCode, body } = await (apps[by] as App).server.inject({ method, url: path, ...(payload ? { payload } : {}) })
    expect(statusCode, body).toBeLessThan(300)
    return body === '' ? null : JSON.parse(body)
  }
  const pass = () => Promise.all(apps.map((app) => runService(app, scheduler)))
  return { apps, clock, call, pass, reads: (apps[0] as App).context.reads }
}

test('three servers plan each instant of 200 one-second schedules once for a minute', async () => {
  const { clock, call, pass, reads } = await startReplicas(3, {
    MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '20',
    MILLRACE_SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE: '10',
  })
  const flow = await call('POST', '/flows/', { name: 'f' })
  const schedules = [{ schedule: { interval: 1, anchor_date: '2030-01-01T00:00:00Z' } }]
  const ids: string[] = []
  for (let n = 0; n < 200; n += 50) {
    const made = Array.from({ length: 50 }, (_, at) => call('POST', '/deployments/', { name: `d${n + at}`, flow_id: flow.id, schedules }, at % 3))
    ids.push(...(await Promise.all(made)).map(({ id }) => id))
  }
  clock.set(toMicros(start))
  let made = 0
  for (let second = 0; second < 60; second += 6) {
    made += (await pass()).reduce((sum, { scheduled = 0 }) => sum + scheduled, 0)
    clock.advance(6)
  }
  const runs = await reads.kysely.selectFrom('flow_run').select(['deployment_id', 'expected_start_time']).orderBy('expected_start_time').execute()
  expect(runs).toHaveLength(made)
  const byDeployment = Map.groupBy(runs, (run) => run.deployment_id as string)
  expect([...byDeployment.keys()].sort()).toEqual(ids.sort())
  // From the first second up to the planning horizon of the last pass, without gaps.
  const expected = Array.from({ length: 74 }, (_, n) => formatTime(toMicros('2030-01-01T00:00:01Z') + n * MICROS_PER_SECOND))
  for (const [, of] of byDeployment) expect(of.map((run) => formatTime(run.expected_start_time as number))).toEqual(expected)
}, 120_000)

test('a deployment that is paused while servers plan has no runs left', async () => {
  const { call, pass, reads } = await startReplicas(2)
  const flow = await call('POST', '/flows/', { name: 'f' })
  const schedules = [{ schedule: { cron: '* * * * *' } }]
  const ids: string[] = []
  for (let n = 0; n < 20; n += 1) ids.push((await call('POST', '/deployments/', { name: `d${n}`, flow_id: flow.id, schedules })).id)
  // Concurrently: both servers plan while each deployment is paused through one of them.
  await Promise.all([pass(), ...ids.map((id, n) => call('POST', `/deployments/${id}/pause_deployment`, undefined, n % 2)), pass()])
  expect(await reads.kysely.selectFrom('flow_run').select('id').execute()).toEqual([])
  await Promise.all([...ids.map((id, n) => call('PATCH', `/deployments/${id}`, { paused: false, parameters: { n } }, n % 2)), pass(), pass()])
  await pass()
  const runs = await reads.kysely.selectFrom('flow_run').select(['deployment_id', 'parameters']).execute()
  expect(runs).toHaveLength(20 * 61)
  for (const { deployment_id, parameters } of runs) expect(JSON.parse(parameters)).toEqual({ n: ids.indexOf(deployment_id as string) })
}, 120_000)

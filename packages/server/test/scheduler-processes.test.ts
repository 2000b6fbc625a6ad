import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { MICROS_PER_SECOND, type Micros } from '../src/lib/time.ts'
import { migratedPostgres } from './databases.ts'
import { proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** How long schedules of a second are watched. */
const seconds = proofSize(8, 60)
const deployments = 200

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Three servers in processes of their own, which plan a few seconds ahead only, so that they do it again and again, at the same time. */
async function startThreeServers(): Promise<{ servers: ServerProcess[]; client: pg.Client }> {
  const { url, drop } = await migratedPostgres()
  cleanups.push(drop)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanups.push(() => client.end())
  const env = {
    MILLRACE_DATABASE_POOL_SIZE: '4',
    MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '10',
    MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '1',
    MILLRACE_SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE: '20',
  }
  const servers = await Promise.all(Array.from({ length: 3 }, () => startServerProcess(url, ['--no-ui'], env)))
  for (const server of servers) cleanups.push(() => server.kill('SIGKILL'))
  return { servers, client }
}

async function createDeployments(servers: readonly ServerProcess[]): Promise<void> {
  const flow = await (servers[0] as ServerProcess).post('/flows/', { name: 'f' })
  const schedules = [{ schedule: { interval: 1, anchor_date: '2020-01-01T00:00:00Z' } }]
  for (let n = 0; n < deployments; n += 20) {
    const made = Array.from({ length: 20 }, (_, at) =>
      (servers[at % servers.length] as ServerProcess).post('/deployments/', { name: `d${n + at}`, flow_id: flow.id, schedules }),
    )
    await Promise.all(made)
  }
}

/** Resolves when the time has come to an instant and every deployment has a run for it. */
async function waitUntilPlanned(client: pg.Client, until: Micros): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select count(distinct deployment_id)::int as planned, extract(epoch from clock_timestamp()) * 1000000 >= $1 as come
        from flow_run where expected_start_time = $1`,
      [until],
    )
    if (rows[0].planned === deployments && rows[0].come) return
    await pause(100)
  }
}

interface Figures {
  readonly runs: number
  /** Instants that have no run between the first and the last of their deployment, or before it. */
  readonly gaps: number
  readonly doubles: number
  /** By how much the run that was made last was late, if it was; below zero when all were made before their time. */
  readonly latest: number
}

async function readFigures(client: pg.Client, from: Micros, until: Micros): Promise<Figures> {
  const { rows } = await client.query(
    `select count(*)::int as runs, (count(*) - count(distinct (deployment_id, expected_start_time)))::int as doubles,
        (max(created - expected_start_time) / 1000000.0)::float as latest
      from flow_run where expected_start_time between $1 and $2`,
    [from, until],
  )
  const { runs, doubles, latest } = rows[0]
  const instants = (until - from) / MICROS_PER_SECOND + 1
  return { runs, doubles, latest, gaps: deployments * instants - (runs - doubles) }
}

async function expectEveryInstantOnce(kill: boolean): Promise<void> {
  const { servers, client } = await startThreeServers()
  await createDeployments(servers)
  const { rows } = await client.query('select ceil(extract(epoch from clock_timestamp()))::bigint * 1000000 as now')
  // Every deployment is there by now; from the next whole second on each has a run a second.
  const from = Number(rows[0].now)
  const until = from + (seconds - 1) * MICROS_PER_SECOND
  if (kill) {
    await waitUntilPlanned(client, from + Math.floor(seconds / 2) * MICROS_PER_SECOND)
    await (servers[1] as ServerProcess).kill('SIGKILL')
  }
  await waitUntilPlanned(client, until)
  const figures = await readFigures(client, from, until)
  reportFigures(`${deployments} deployments, ${seconds} s, ${kill ? 'one of three servers killed' : 'three servers'}: ${JSON.stringify(figures)}`)
  expect(figures).toMatchObject({ runs: deployments * seconds, gaps: 0, doubles: 0 })
}

test(
  `three processes plan ${deployments} schedules of a second for ${seconds} seconds: every instant once`,
  () => expectEveryInstantOnce(false),
  (seconds + 60) * 1000,
)

test('nor is an instant missed or doubled when one of them is killed', () => expectEveryInstantOnce(true), (seconds + 60) * 1000)

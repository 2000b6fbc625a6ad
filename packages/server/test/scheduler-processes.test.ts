import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { MICROS_PER_SECOND, type Micros } from '../src/lib/time.ts'
import { migratedPostgres } from './databases.ts'
import { isFullProof, proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** For how long the schedules, which fire every second, are observed. */
const seconds = proofSize(5, 60)
const deployments = 200

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Three server processes that plan only a few seconds ahead, so that they plan often and at the same time. */
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

/** Resolves when the instant has passed and every deployment has a run for it. */
async function waitUntilPlanned(client: pg.Client, until: Micros): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select count(distinct deployment_id)::int as planned, extract(epoch from clock_timestamp()) * 1000000 >= $1 as has_passed
        from flow_run where expected_start_time = $1`,
      [until],
    )
    if (rows[0].planned === deployments && rows[0].has_passed) return
    await pause(100)
  }
}

interface Figures {
  readonly runs: number
  /** Expected instants that have no run. */
  readonly gaps: number
  readonly doubles: number
  /** Seconds between the expected start and the creation of the latest run; negative when every run was created ahead of time. */
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
  // All deployments exist: from the next whole second on each has one run per second.
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

// The daily test is the harder one: one of the servers is killed. scheduler-replicas.test.ts covers servers that all stay, on a moved clock.
test.runIf(isFullProof)(
  `three processes plan every instant of ${deployments} schedules once for ${seconds} seconds`,
  () => expectEveryInstantOnce(false),
  (seconds + 60) * 1000,
)

test('three processes plan every instant once when one of them is killed', () => expectEveryInstantOnce(true), (seconds + 60) * 1000)

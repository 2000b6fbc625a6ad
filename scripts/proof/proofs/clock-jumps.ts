import { setTimeout as pause } from 'node:timers/promises'
import { type App, buildApp } from '../../../packages/server/src/app.ts'
import { readConfig } from '../../../packages/server/src/config.ts'
import { type Clock, MICROS_PER_SECOND, type Micros, machineClock, systemClock } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import { exactly, type Figure, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

const hour = 3600
const jumps = [hour, -hour, 24 * hour, -24 * hour, -10, 10]
/** On SQLite the schedule continues after the clock is right again; this is the time to notice it. */
const settleSeconds = 5
const jumpSeconds = 4
/** The longest that the API accepts. */
const leaseSeconds = 86_400

const env = { MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '10', MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '1', MILLRACE_DATABASE_POOL_SIZE: '4' }
const plannedRuns = statement('select expected_start_time from flow_run where deployment_id is not null order by expected_start_time')
const liveLeases = statement('select count(*) as count from concurrency_lease')

async function call(app: App, path: string, payload: object) {
  const { statusCode, body } = await app.server.inject({ method: 'POST', url: path, payload })
  return { status: statusCode, body: body === '' ? null : JSON.parse(body) }
}

/** A server in this process whose clock can be set. On PostgreSQL it is the clock of its machine, on SQLite the only clock. */
async function startWithClock(run: ProofRun, database: string, offset: { seconds: number }): Promise<App> {
  const shift = () => offset.seconds * MICROS_PER_SECOND
  const [machine, system] = [machineClock(), systemClock()]
  const clock: Clock = { now: () => system.now() + shift() }
  const app = await buildApp({
    config: readConfig({ MILLRACE_DATABASE_URL: database, ...env }, []).config,
    ...(run.database === 'sqlite' ? { clock } : { machine: { wall: () => machine.wall() + shift(), monotonic: () => machine.monotonic() } }),
    logger: { level: 'silent' },
  })
  run.defer(() => app.close())
  app.startServices()
  return app
}

const wholeSecond = (): number => Math.ceil(Date.now() / 1000)

async function run(run: ProofRun): Promise<Figure[]> {
  const database = await run.newDatabase()
  const offset = { seconds: 0 }
  const wrong = await startWithClock(run, database, offset)
  // On PostgreSQL two other replicas have a right clock.
  const right = run.database === 'sqlite' ? wrong : await startWithClock(run, database, { seconds: 0 })
  if (run.database === 'postgres') await startWithClock(run, database, { seconds: 0 })
  const flow = (await call(right, '/flows/', { name: 'f' })).body.id
  const schedules = [{ schedule: { interval: 1, anchor_date: '2020-01-01T00:00:00Z' } }]
  await call(right, '/deployments/', { name: 'each second', flow_id: flow, schedules })
  await call(right, '/v2/concurrency_limits/', { name: 'one', limit: 1 })
  const take = (app: App) => call(app, '/v2/concurrency_limits/increment-with-lease', { names: ['one'], slots: 1, lease_duration: leaseSeconds })
  let lease = (await take(right)).body.lease_id
  const began = wholeSecond() + 2
  /** Whole seconds in which the clock that plans was right, without the time to notice a change. */
  const judged = new Set<number>()
  const judge = async (seconds: number): Promise<void> => {
    const first = wholeSecond()
    await pause(seconds * 1000)
    for (let second = first; second < first + seconds - 1; second += 1) if (second >= began) judged.add(second)
  }
  await judge(settleSeconds)
  let [takenTwice, leaseLost] = [0, 0]
  for (let n = 0; n < run.amount; n += 1) {
    run.checkInterrupted()
    offset.seconds = n < jumps.length ? (jumps[n] as number) : Math.round(run.between(-24 * hour, 24 * hour))
    if (run.database === 'postgres') await judge(jumpSeconds)
    else await pause(jumpSeconds * 1000)
    // On SQLite a lease of a day runs out when the only clock says that a day has passed.
    const isLeaseJudged = run.database === 'postgres' || offset.seconds < leaseSeconds - hour
    if (isLeaseJudged && (await take(wrong)).status !== 423) takenTwice += 1
    offset.seconds = 0
    if (run.database === 'sqlite') await pause(settleSeconds * 1000)
    await judge(jumpSeconds)
    const renewed = await call(right, `/v2/concurrency_limits/leases/${lease}/renew`, { lease_duration: leaseSeconds })
    if (renewed.status === 204) continue
    if (isLeaseJudged) leaseLost += 1
    lease = (await take(right)).body?.lease_id
  }
  await pause(2000)
  const rows = await right.context.reads.all<{ expected_start_time: Micros }>(plannedRuns)
  const counts = new Map<number, number>()
  for (const { expected_start_time } of rows) {
    const second = expected_start_time / MICROS_PER_SECOND
    counts.set(second, (counts.get(second) ?? 0) + 1)
  }
  const leases = Number((await right.context.reads.first<{ count: number }>(liveLeases))?.count)
  return [
    exactly('seconds with more than one run', [...counts.values()].filter((count) => count > 1).length, 0),
    exactly('seconds without a run', [...judged].filter((second) => !counts.has(second)).length, 0),
    observed('seconds judged', judged.size),
    exactly('times that a slot with a valid lease was given away', takenTwice, 0),
    exactly('times that a valid lease was lost', leaseLost + (leases === 1 ? 0 : 1), 0),
  ]
}

export const clockJumps: Proof = {
  id: 'R7',
  promise: 'jumps of a clock by an hour or a day, in both directions, skip and repeat no run and give no slot away',
  databases: ['sqlite', 'postgres'],
  full: { amount: 12, unit: 'jumps' },
  method: `A schedule fires each second, and a slot is held by a lease of a day. The clock of one of three replicas (PostgreSQL) or of the only server (SQLite) is set by up to a day in both directions for ${jumpSeconds} seconds and back again. On PostgreSQL every second is judged, because the clock of the database counts. On SQLite, where this clock is the only one, the seconds from ${settleSeconds} seconds after its correction on are judged, and a jump of a whole day may end the lease.`,
  failure: 'A second has two runs, a judged one has none, the slot is given to another holder, or its lease cannot be renewed.',
  run,
}

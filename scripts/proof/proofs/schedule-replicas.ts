import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { below, exactly, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

const deployments = 1000
const replicasMax = 5
/** Two runs ahead, so that every minute is planned on its own while the number of replicas changes. */
const env = {
  MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '2',
  MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '1',
  MILLRACE_SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE: '50',
  MILLRACE_DATABASE_POOL_SIZE: '4',
}

const plannedRuns = statement(
  'select deployment_id, expected_start_time, created from flow_run where expected_start_time >= $1 and expected_start_time < $2',
)

async function run(run: ProofRun) {
  const database = await run.newDatabase()
  const servers: ServerProcess[] = [await run.startServer(database, { env }), await run.startServer(database, { env })]
  const flow = await (servers[0] as ServerProcess).post('/flows/', { name: 'f' })
  const schedules = [{ schedule: { cron: '* * * * *' } }]
  for (let n = 0; n < deployments; n += 20) {
    const made = Array.from({ length: 20 }, (_, at) =>
      (servers[at % servers.length] as ServerProcess).post('/deployments/', { name: `d${n + at}`, flow_id: flow.id, schedules }),
    )
    await Promise.all(made)
  }
  const minutes = run.amount
  const from = Math.ceil((Date.now() + 1000) / 60_000) * 60
  run.log(`${deployments} deployments, from ${new Date(from * 1000).toISOString()} on`)
  for (let minute = 0; minute < minutes; minute += 1) {
    run.checkInterrupted()
    const wanted = Math.min(replicasMax, 2 + Math.ceil((minute * (replicasMax - 2)) / Math.max(1, minutes - 1)))
    while (servers.length < wanted) servers.push(await run.startServer(database, { env }))
    await pause(Math.max(0, (from + (minute + 1) * 60) * 1000 - Date.now()))
  }
  await pause(2000)
  const app = await run.openDatabase(database)
  const runs = await app.context.reads.all<{ deployment_id: string; expected_start_time: number; created: number }>(plannedRuns, [
    from * MICROS_PER_SECOND,
    (from + minutes * 60) * MICROS_PER_SECOND,
  ])
  const distinct = new Set(runs.map((row) => `${row.deployment_id} ${row.expected_start_time}`))
  const lateness = runs.map((row) => (row.created - row.expected_start_time) / MICROS_PER_SECOND)
  run.amountText = `${minutes} min, ${deployments} deployments, 2 to ${servers.length} replicas`
  return [
    exactly('runs of a schedule each minute', runs.length, deployments * minutes),
    exactly('duplicates', runs.length - distinct.size, 0),
    below('p99 of the creation after the time of the run', percentile(lateness, 0.99), 1, 's'),
    observed('latest creation', `${Math.max(...lateness).toFixed(1)} s after the time of the run`),
  ]
}

export const scheduleReplicas: Proof = {
  id: 'R5',
  promise: 'two to five replicas create each run of a schedule exactly once and in time',
  databases: ['postgres'],
  full: { amount: 10, unit: 'minutes' },
  method: `${deployments.toLocaleString('en')} deployments with a cron schedule of each minute. Two replicas plan at first; others join one after the other until there are ${replicasMax}. Only two runs are planned ahead.`,
  failure: 'A minute of a deployment has no run or two, or 1 % of the runs are created a second or more after their time.',
  run,
}

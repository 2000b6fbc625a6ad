import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import { findChangeProblems, readEventLog } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import { changeFigures } from '../change-figures.ts'
import { atLeast, exactly, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { FailureCounts, postUntilAccepted } from '../requests.ts'

const fullSeconds = 120
const fullAmount = 5000
const eventSenders = 4
/** Plans ten seconds ahead, so that planning falls into the outages. */
const env = { MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '10', MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '1' }

const eventId = (seed: number, n: number): string =>
  `0198c1c2-${(seed & 0xffff).toString(16).padStart(4, '0')}-7bbb-8ccc-${n.toString(16).padStart(12, '0')}`

const plannedTimes = statement('select expected_start_time, created from flow_run where deployment_id = $1 order by expected_start_time')
const completedRuns = statement(`select count(*) as count from flow_run where flow_id = $1 and deployment_id is null and state_type = 'COMPLETED'`)

async function run(run: ProofRun) {
  const postgres = await run.postgres()
  const database = await run.newDatabase()
  const [first, second] = [await run.startServer(database, { env }), await run.startServer(database, { env })]
  const { id: flowId } = await first.post('/flows/', { name: 'under fire' })
  const { id: scheduledFlow } = await first.post('/flows/', { name: 'each second' })
  const schedules = [{ schedule: { interval: 1, anchor_date: '2020-01-01T00:00:00Z' } }]
  const { id: deploymentId } = await first.post('/deployments/', { name: 'each second', flow_id: scheduledFlow, schedules })
  const fromSecond = Math.ceil(Date.now() / 1000) + 1
  const seconds = run.scaled(fullSeconds, 20)
  const amount = run.amount

  // The load ends before the last restart.
  const rate = (amount * 3) / (seconds * 0.85)
  const load = startFailoverLoad(first.url, {
    clients: 32,
    rate,
    runs: amount,
    flowId,
    random: run.random,
    onFailure: (failure, text, path) => failure !== '503' && run.record('failures.jsonl', { failure, path, text }),
  })
  run.defer(() => load.stop())
  const failures = new FailureCounts()
  let nextEvent = 0
  const sendEvents = async (): Promise<void> => {
    while (nextEvent < amount) {
      const n = nextEvent++
      const resource = { 'prefect.resource.id': `proof.${n}` }
      const began = performance.now()
      await postUntilAccepted(
        second.url,
        '/events',
        [{ id: eventId(run.seed, n), occurred: new Date().toISOString(), event: 'proof', resource }],
        failures,
      )
      await pause(Math.max(0, (seconds * 850 * eventSenders) / amount - (performance.now() - began)))
    }
  }
  let isOver = false
  const work = Promise.all([load.ended, ...Array.from({ length: eventSenders }, sendEvents)]).finally(() => {
    isOver = true
  })

  let restarts = 0
  while (!isOver || Date.now() / 1000 < fromSecond + seconds) {
    run.checkInterrupted()
    await pause(run.between(5000, 10_000))
    const signal = run.pick(['SIGINT', 'SIGQUIT'] as const)
    await postgres.restart({ signal, downMs: run.between(0, 2000) })
    restarts += 1
    run.log(`restart ${restarts} by ${signal}: ${load.acknowledged.length} changes acknowledged, ${nextEvent} events sent`)
    if (Date.now() / 1000 > fromSecond + seconds * 4 + 60) throw new Error('The load does not end.')
  }
  await work
  // The last seconds may be planned after the last restart.
  await pause(5000)

  const app = await run.openDatabase(database)
  const db = app.context.reads
  const problems = await findChangeProblems(db, load.acknowledged, flowId)
  const completed = Number((await db.first<{ count: number }>(completedRuns, [flowId]))?.count ?? 0)
  const found = new Map<string, number>()
  for await (const { id, event } of readEventLog(db)) if (event === 'proof') found.set(id, (found.get(id) ?? 0) + 1)
  const eventsOnce = Array.from({ length: amount }, (_, n) => eventId(run.seed, n)).filter((id) => found.get(id) === 1).length
  const planned = await db.all<{ expected_start_time: number; created: number }>(plannedTimes, [deploymentId])
  const bySecond = Map.groupBy(planned, ({ expected_start_time }) => expected_start_time / MICROS_PER_SECOND)
  const secondsOnce = Array.from({ length: seconds }, (_, n) => fromSecond + n).filter((second) => bySecond.get(second)?.length === 1).length
  const doubles = [...bySecond.values()].filter(({ length }) => length > 1).length
  const unexpected = [...load.failures].filter(([failure]) => failure !== '503').reduce((sum, [, count]) => sum + count, 0)
  run.amountText = `${amount.toLocaleString('en')} runs and events, ${restarts} restarts in ${seconds} s`
  return [
    atLeast('restarts of PostgreSQL', restarts, Math.floor(seconds / 15)),
    exactly('flow runs that reached Completed', completed, amount),
    ...changeFigures(problems),
    exactly('events that are in the log exactly once', eventsOnce, amount),
    exactly('seconds whose scheduled run exists exactly once', secondsOnce, seconds),
    exactly('seconds with more than one run', doubles, 0),
    exactly('responses other than 2xx and 503', unexpected + failures.except('503'), 0),
    observed('attempts that were answered 503 and repeated', `runs ${load.failures.get('503') ?? 0}, events ${failures.text}`),
    observed(
      'latest scheduled run',
      `${(planned.reduce((max, row) => Math.max(max, row.created - row.expected_start_time), -Infinity) / MICROS_PER_SECOND).toFixed(1)} s after its time`,
    ),
  ]
}

export const databaseRestarts: Proof = {
  id: 'R3',
  promise: 'restarts of PostgreSQL every few seconds lose no run, no event and no second of a schedule',
  databases: ['postgres'],
  full: { amount: fullAmount, unit: 'runs and events' },
  method: `PostgreSQL with fsync is stopped every 5 to 10 seconds, at random by a fast shutdown or by an immediate one, which ends in crash recovery, and stays down for up to 2 seconds. Two servers keep running. Clients take 5,000 flow runs to Completed and send 5,000 events with ids of their own, and repeat what fails. A schedule fires each second for ${fullSeconds} seconds. The scheduler plans ten seconds ahead.`,
  failure:
    'A run does not reach Completed, an event is missing or exists twice, a second of the schedule has no run or two, acknowledged states differ from the database, or a response is neither 2xx nor 503.',
  run,
}

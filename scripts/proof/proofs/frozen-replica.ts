import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import { findChangeProblems } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { changeFigures } from '../change-figures.ts'
import { below, exactly, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { startProxy } from '../proxy.ts'
import { isSuccess, send } from '../requests.ts'

const freezes = 2
const replicas = 3
const rate = 200
/** The shortest that the API accepts. */
const leaseSeconds = 60
/** Plans ten seconds ahead, so that a frozen scheduler would be noticed. */
const env = { MILLRACE_SERVICES_SCHEDULER_MAX_RUNS: '10', MILLRACE_SERVICES_SCHEDULER_RECENT_EVERY_SECONDS: '1' }

const plannedTimes = statement('select expected_start_time, created from flow_run where deployment_id is not null')

const takeSlot = { names: ['frozen'], slots: 1, lease_duration: leaseSeconds }

/** Waits on another replica for the slot of the frozen one. Returns the seconds from the end of its lease until the waiter has it. */
async function measureLeaseTakeover(other: ServerProcess, takenMs: number): Promise<number> {
  for (;;) {
    const response = await send(other.url, 'POST', '/v2/concurrency_limits/increment-with-lease', takeSlot, { prefer: 'wait=5' })
    if (response.status === 423) continue
    if (!isSuccess(response)) throw new Error(`slot: ${response.status} ${response.problem}`)
    const seconds = (performance.now() - takenMs) / 1000 - leaseSeconds
    await other.post('/v2/concurrency_limits/decrement-with-lease', { lease_id: response.body.lease_id })
    return seconds
  }
}

async function run(run: ProofRun) {
  const database = await run.newDatabase()
  const servers: ServerProcess[] = []
  for (let n = 0; n < replicas; n += 1) servers.push(await run.startServer(database, { env }))
  const [first] = servers as [ServerProcess]
  await first.post('/v2/concurrency_limits/', { name: 'frozen', limit: 1 })
  const { id: flowId } = await first.post('/flows/', { name: 'shared' })
  const { id: scheduledFlow } = await first.post('/flows/', { name: 'each second' })
  const schedules = [{ schedule: { interval: 1, anchor_date: '2020-01-01T00:00:00Z' } }]
  await first.post('/deployments/', { name: 'each second', flow_id: scheduledFlow, schedules })
  const fromSecond = Math.ceil(Date.now() / 1000) + 1
  const proxy = await startProxy(
    run,
    servers.map(({ url }) => url),
  )
  const load = startFailoverLoad(proxy, {
    clients: 24,
    rate,
    flowId,
    random: run.random,
    onFailure: (failure, text, path) => run.record('failures.jsonl', { failure, path, text }),
  })
  run.defer(() => load.stop())
  await load.waitFor(100)

  const frozenSeconds = Math.max(12, run.amount)
  const leaseDelays: number[] = []
  for (let n = 0; n < freezes; n += 1) {
    run.checkInterrupted()
    const frozen = run.pick(servers)
    const other = servers.find((server) => server !== frozen) as ServerProcess
    await pause(run.between(0, 1000))
    const frozenMs = performance.now()
    const before = load.acknowledged.length
    const measuresLease = frozenSeconds >= leaseSeconds
    if (measuresLease) await frozen.post('/v2/concurrency_limits/increment-with-lease', takeSlot)
    const takenMs = performance.now()
    frozen.child.kill('SIGSTOP')
    if (measuresLease) leaseDelays.push(await measureLeaseTakeover(other, takenMs))
    await pause(Math.max(0, frozenSeconds * 1000 - (performance.now() - frozenMs)))
    run.log(`frozen for ${Math.round((performance.now() - frozenMs) / 1000)} s: ${load.acknowledged.length - before} changes meanwhile`)
    frozen.child.kill('SIGCONT')
    await load.waitFor(rate)
  }
  const untilSecond = Math.floor(Date.now() / 1000)
  await load.stop()
  await pause(2000)
  const app = await run.openDatabase(database)
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  const planned = await app.context.reads.all<{ expected_start_time: number; created: number }>(plannedTimes, [])
  const bySecond = Map.groupBy(planned, ({ expected_start_time }) => expected_start_time / MICROS_PER_SECOND)
  const wanted = Array.from({ length: untilSecond - fromSecond }, (_, n) => fromSecond + n)
  const latest = planned.reduce((max, row) => Math.max(max, row.created - row.expected_start_time), Number.NEGATIVE_INFINITY) / MICROS_PER_SECOND
  run.amountText = `${freezes} freezes of ${frozenSeconds} s`
  return [
    observed('acknowledged writes', load.acknowledged.length),
    ...changeFigures(problems),
    exactly('seconds of the schedule without a run or with two', wanted.filter((second) => bySecond.get(second)?.length !== 1).length, 0),
    below('latest scheduled run after its time', latest, 10, 's'),
    ...(leaseDelays.length > 0
      ? [below('a waiter gets the slot of the frozen replica after the end of its lease', Math.max(...leaseDelays), 10, 's')]
      : []),
    exactly('responses of 500', load.failures.get('500') ?? 0, 0),
    observed('failed attempts', JSON.stringify([...load.failures])),
  ]
}

export const frozenReplica: Proof = {
  id: 'R4',
  promise: 'a replica that freezes and continues a minute later repeats and overwrites nothing',
  databases: ['postgres'],
  full: { amount: 60, unit: 's frozen' },
  method: `Three replicas behind HAProxy, ${rate} writes a second. A random replica is stopped by SIGSTOP in the middle of its work, ${freezes} times, and continues by SIGCONT. Clients give up a request after 5 seconds and repeat it through another replica, so that the frozen one still holds the first copy when it continues. A schedule fires each second, and a slot that was taken through the frozen replica runs out (at sizes from 1 on, because a lease lasts a minute at least).`,
  failure:
    'A transition or a run exists twice, an acknowledged one is missing, a second of the schedule has no run or two, the others need ten seconds or more to plan runs or to give the slot to a waiter, or a response is 500.',
  run,
}

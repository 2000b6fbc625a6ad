import { setTimeout as pause } from 'node:timers/promises'
import { findChangeProblems } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import { changeFigures } from '../change-figures.ts'
import { atLeast, below, exactly, largest, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { startReplicas } from '../proxy.ts'

const clients = 16
const replicas = 3

/** Windows in which throughput is compared: with all replicas, and with one down. */
const windowMs = 1500

async function run(run: ProofRun) {
  const { database, servers, proxy, flowId, restart } = await startReplicas(run, replicas)
  const load = startFailoverLoad(proxy, {
    clients,
    flowId,
    random: run.random,
    onAcknowledged: (change) => run.record('acknowledged.jsonl', change),
    onFailure: (failure, text) => failure === '500' && run.record('failures.jsonl', { failure, text }),
  })
  run.defer(() => load.stop())
  await load.waitFor(100)

  const countIn = async (ms: number): Promise<number> => {
    const [before, began] = [load.acknowledged.length, performance.now()]
    await pause(ms)
    return ((load.acknowledged.length - before) * 1000) / (performance.now() - began)
  }
  const bursts: number[] = []
  const rates = { up: [] as number[], down: [] as number[] }
  for (let n = 0; n < run.amount; n += 1) {
    run.checkInterrupted()
    rates.up.push(await countIn(run.between(windowMs / 2, windowMs)))
    const index = Math.floor(run.random.next() * replicas)
    const failedBefore = load.outages.length
    await servers[index]?.kill('SIGKILL')
    rates.down.push(await countIn(windowMs))
    // Requests that failed at first have succeeded by now, or they are counted with the next kill.
    bursts.push(largest(load.outages.slice(failedBefore)))
    await restart(index)
    if ((n + 1) % 20 === 0)
      run.log(
        `${n + 1} kills, ${load.acknowledged.length} acknowledged, longest outage ${Math.round(largest(bursts))} ms, failures ${JSON.stringify([...load.failures])}`,
      )
  }
  await load.waitFor(clients)
  await load.stop()
  const app = await run.openDatabase(database)
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  return [
    atLeast('kill -9 of any replica under load', bursts.length, run.amount),
    observed('acknowledged writes', load.acknowledged.length),
    ...changeFigures(problems),
    exactly('responses of 500', load.failures.get('500') ?? 0, 0),
    below('longest time from the first failed attempt of a request to its success', largest(load.outages), 1000, 'ms'),
    observed('requests that failed at first', load.outages.length),
    observed('median of the longest outage of each kill', `${Math.round(percentile(bursts, 0.5))} ms`),
    atLeast('throughput with one replica down', (100 * mean(rates.down)) / mean(rates.up), 60, '% of all three'),
    observed('throughput with all replicas', `${Math.round(mean(rates.up))} writes/s`),
  ]
}

export const killReplicas: Proof = {
  id: 'R2',
  promise: 'kill -9 of any of three replicas loses nothing and hardly disturbs clients (PostgreSQL)',
  databases: ['postgres'],
  full: { amount: 200, unit: 'kills' },
  method: `Three replicas on one PostgreSQL server with fsync, behind HAProxy with the configuration of \`deploy/proxy\` (or a balancer of the tests where HAProxy is not installed). ${clients} clients create runs and set states without pause, repeat a failed request after 100 ms with the same key, and record each 2xx. A random replica is killed with SIGKILL and started again ${windowMs / 1000} seconds later. At the end the record is compared with the runs, states and events in the database.`,
  failure:
    'As for R1, or a request does not succeed within a second of its first failed attempt, or the throughput with one replica down is below 60 % of that with all three.',
  run,
}

import { isDeepStrictEqual } from 'node:util'
import { type App, buildApp } from '../../../packages/server/src/app.ts'
import { readConfig } from '../../../packages/server/src/config.ts'
import { serviceActor } from '../../../packages/server/src/lib/actor.ts'
import { seededRandom } from '../../../packages/server/src/lib/random.ts'
import { type Clock, MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { taskRunReconciler } from '../../../packages/server/src/services/task-run-reconciler.ts'
import { actAs } from '../../../packages/server/src/storage/server-context.ts'
import { lifecycleEvents, newId, type Sent, shuffledBatches, start } from '../../../packages/server/test/task-run-events.ts'
import { exactly, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

const delaySeconds = 60
const concurrency = 16

interface MovedClock extends Clock {
  advance(seconds: number): void
}

function movedClock(): MovedClock {
  let now = start + MICROS_PER_SECOND
  return {
    now: () => (now += 1),
    advance: (seconds) => {
      now += seconds * MICROS_PER_SECOND
    },
  }
}

async function call(app: App, method: 'GET' | 'POST', url: string, payload?: object) {
  const { statusCode, body } = await app.server.inject({ method, url, ...(payload ? { payload } : {}) })
  if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${body}`)
  return body === '' ? null : JSON.parse(body)
}

/** Everything that clients can read of a task run, without ids and the times of the server. */
async function readOutcome(app: App, id: string): Promise<unknown> {
  const { created, updated, estimated_run_time, estimated_start_time_delta, task_key, state_id, ...run } = await call(app, 'GET', `/task_runs/${id}`)
  const states: { id: string }[] = await call(app, 'GET', `/task_run_states/?task_run_id=${id}`)
  const withoutIds = { run: { ...run, state: { ...run.state, id: '' } }, states: states.map((state) => ({ ...state, id: '' })) }
  return JSON.parse(JSON.stringify(withoutIds).replaceAll(id, 'ID'))
}

const ofOtherRun = (events: readonly Sent[], id: string, key: string): Sent[] =>
  events.map((event) => ({
    ...event,
    id: newId(),
    resource: { ...event.resource, 'prefect.resource.id': `prefect.task-run.${id}` },
    payload: { ...event.payload, task_run: { ...event.payload.task_run, task_key: key } },
  }))

async function run(run: ProofRun) {
  const config = readConfig({ MILLRACE_DATABASE_URL: await run.newDatabase(), MILLRACE_DATABASE_POOL_SIZE: '4' }, []).config
  const clock = movedClock()
  const app = await buildApp({ config, clock, random: run.random })
  run.defer(() => app.close())
  const flow = await call(app, 'POST', '/flows/', { name: 'f' })
  const flowRun = (await call(app, 'POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } })).id
  const seeds = Array.from({ length: run.amount }, () => Math.floor(run.random.next() * 2 ** 31))
  let [next, differences, events, delayed] = [0, 0, 0, 0]
  const compare = async (n: number, seed: number): Promise<void> => {
    const random = seededRandom(seed)
    const relation = random.next() < 0.5 ? null : flowRun
    const [one, two] = [newId(), newId()]
    const ordered = lifecycleEvents({ id: one, flowRun: relation, key: `a ${n}` }, seed)
    await call(app, 'POST', '/events', ordered)
    for (const batch of shuffledBatches(ofOtherRun(ordered, two, `b ${n}`), seed)) {
      if (random.next() < 0.2) {
        clock.advance(delaySeconds)
        delayed += 1
        if (random.next() < 0.2) await taskRunReconciler.runOnce(actAs(app.context, serviceActor(taskRunReconciler.name)), run.signal)
      }
      await call(app, 'POST', '/events', batch)
      events += batch.length
    }
    const [wanted, found] = [await readOutcome(app, one), await readOutcome(app, two)]
    if (!isDeepStrictEqual(wanted, found)) {
      differences += 1
      run.record('differences.jsonl', { seed, wanted, found })
    }
  }
  const work = async (): Promise<void> => {
    while (next < seeds.length) {
      run.checkInterrupted()
      const n = next++
      await compare(n, seeds[n] as number)
      if ((n + 1) % 2000 === 0) run.log(`${n + 1} seeds`)
    }
  }
  // At the same time, so that transactions are shared.
  await Promise.all(Array.from({ length: concurrency }, work))
  return [
    exactly('runs whose final state differs from that of ordered events', differences, 0),
    observed('shuffled events', events),
    observed(`requests delayed by ${delaySeconds} s`, delayed),
  ]
}

export const eventOrder: Proof = {
  id: 'R12',
  promise: 'task-run events that arrive shuffled, doubled and late give the same task runs as ordered ones',
  databases: ['sqlite', 'postgres'],
  full: { amount: 10_000, unit: 'seeds' },
  usualSize: 0.5,
  method: `For each seed a random life of a task run is sent twice: in order, and for another task run shuffled, with 30 % duplicates, in requests of random length, a fifth of them ${delaySeconds} seconds late by the clock of the server, with passes of the service that ends task runs without a final event in between. Then the task runs and their histories are compared.`,
  failure: 'Any field of the run or of its states differs.',
  run,
}

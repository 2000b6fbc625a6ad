import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { below, exactly, largest, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { isSuccess, send } from '../requests.ts'

const graceSeconds = 10
const env = {
  MILLRACE_SERVICES_CANCELLATION_GRACE_SECONDS: String(graceSeconds),
  MILLRACE_SERVICES_CANCELLATION_EVERY_SECONDS: '1',
}

/** The states before the cancellation. Each is reached as clients reach it. */
const situations = ['Scheduled', 'Late', 'Pending', 'Running', 'Paused', 'Suspended', 'AwaitingRetry', 'Cancelling'] as const
type Situation = (typeof situations)[number]

const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const past = () => new Date(Date.now() - 60_000).toISOString()

/** The proposals that lead to the situation. */
function proposalsOf(situation: Situation): object[] {
  const started = [{ type: 'PENDING' }, { type: 'RUNNING' }]
  switch (situation) {
    case 'Scheduled':
    case 'Late':
      return []
    case 'Pending':
      return [{ type: 'PENDING' }]
    case 'Running':
      return started
    case 'Paused':
      return [...started, { type: 'PAUSED', name: 'Paused', state_details: { pause_timeout: soon(), pause_reschedule: false } }]
    case 'Suspended':
      return [...started, { type: 'PAUSED', name: 'Suspended', state_details: { pause_timeout: soon(), pause_reschedule: true } }]
    case 'AwaitingRetry':
      return [...started, { type: 'SCHEDULED', name: 'AwaitingRetry', state_details: { scheduled_time: soon() } }]
    case 'Cancelling':
      return [...started, { type: 'CANCELLING' }]
  }
}

interface CancelledRun {
  readonly id: string
  readonly situation: Situation
  readonly isAlive: boolean
  /** Seconds since 1970. */
  cancelledAt: number
}

class Client {
  readonly #server: ServerProcess
  problems = 0

  constructor(server: ServerProcess) {
    this.#server = server
  }

  // biome-ignore lint/suspicious/noExplicitAny: the proof checks the answers that it reads
  async post(path: string, body: unknown): Promise<any> {
    const response = await send(this.#server.url, 'POST', path, body)
    if (!isSuccess(response)) this.problems += 1
    return response.body
  }

  propose(id: string, state: object): Promise<{ status: string; state: { type: string } | null }> {
    return this.post(`/flow_runs/${id}/set_state`, { state })
  }

  /** A run with two tasks, of which one is a subflow with a task of its own. */
  async createRun(deployment: string, flow: string, situation: Situation): Promise<string> {
    const scheduled_time = situation === 'Late' ? past() : soon()
    // Only a run that is due may become Pending.
    const due = proposalsOf(situation).length > 0 ? past() : scheduled_time
    const { id } = await this.post(`/deployments/${deployment}/create_flow_run`, {
      state: { type: 'SCHEDULED', state_details: { scheduled_time: due } },
    })
    for (const state of proposalsOf(situation)) await this.propose(id, state)
    if (proposalsOf(situation).length < 2) return id
    await this.#createTask(id, 'one')
    const child = await this.post('/flow_runs/', {
      flow_id: flow,
      parent_task_run_id: await this.#createTask(id, 'two'),
      state: { type: 'RUNNING' },
    })
    await this.#createTask(child.id, 'nested')
    return id
  }

  async #createTask(flow_run_id: string, task_key: string): Promise<string> {
    return (await this.post('/task_runs/', { flow_run_id, task_key, dynamic_key: '0', state: { type: 'RUNNING' } })).id
  }
}

const runStates = statement('select id, state_type, state_timestamp, parent_task_run_id from flow_run')
const taskStates = statement('select id, flow_run_id, state_type, state_timestamp from task_run')
const leases = statement('select count(*) as count from concurrency_lease')
const terminal = new Set(['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED'])

interface StateRow {
  readonly id: string
  readonly state_type: string
  readonly state_timestamp: number
}

async function run(run: ProofRun) {
  const database = await run.newDatabase()
  const server = await run.startServer(database, { env })
  const client = new Client(server)
  const { id: flow } = await server.post('/flows/', { name: 'f' })
  const { id: deployment } = await server.post('/deployments/', { name: 'd', flow_id: flow, concurrency_limit: run.amount })
  const runs: CancelledRun[] = []
  const create = async (n: number): Promise<void> => {
    const situation = situations[n % situations.length] as Situation
    runs.push({ id: await client.createRun(deployment, flow, situation), situation, isAlive: run.random.next() < 0.5, cancelledAt: 0 })
  }
  for (let n = 0; n < run.amount; n += 20) await Promise.all(Array.from({ length: Math.min(20, run.amount - n) }, (_, at) => create(n + at)))
  run.log(`${runs.length} runs created`)

  /** A client that lives confirms the end of its run a little later. */
  const confirm = async ({ id }: CancelledRun): Promise<void> => {
    await pause(run.between(50, 1000))
    await client.propose(id, { type: 'CANCELLED' })
  }
  const confirmations: Promise<void>[] = []
  const cancel = async (one: CancelledRun): Promise<void> => {
    const { state } = await client.propose(one.id, { type: 'CANCELLING', name: 'Cancelling' })
    one.cancelledAt = Date.now() / 1000
    if (one.isAlive && state?.type !== 'CANCELLED') confirmations.push(confirm(one))
  }
  for (let n = 0; n < runs.length; n += 20) await Promise.all(runs.slice(n, n + 20).map(cancel))
  await Promise.all(confirmations)
  await pause((graceSeconds + 6) * 1000)
  await server.kill('SIGTERM')

  const app = await run.openDatabase(database)
  const db = app.context.reads
  const flowRuns = await db.all<StateRow & { parent_task_run_id: string | null }>(runStates)
  const taskRuns = await db.all<StateRow & { flow_run_id: string }>(taskStates)
  const cancelledAt = new Map(runs.map((one) => [one.id, one.cancelledAt]))
  const parentRun = new Map(taskRuns.map((task) => [task.id, task.flow_run_id]))
  const rootOf = new Map(flowRuns.map((one) => [one.id, one.parent_task_run_id === null ? one.id : (parentRun.get(one.parent_task_run_id) ?? '')]))
  const delay = (one: StateRow, root: string): number =>
    terminal.has(one.state_type) ? one.state_timestamp / MICROS_PER_SECOND - (cancelledAt.get(root) ?? 0) : Number.POSITIVE_INFINITY
  const ownDelays = runs.map(({ id }) => delay(flowRuns.find((one) => one.id === id) as StateRow, id))
  const childDelays = [
    ...flowRuns.filter(({ parent_task_run_id }) => parent_task_run_id !== null).map((one) => delay(one, rootOf.get(one.id) ?? '')),
    ...taskRuns.map((one) => delay(one, rootOf.get(one.flow_run_id) ?? '')),
  ]
  const unfinished = (delays: readonly number[]) => delays.filter((seconds) => seconds === Number.POSITIVE_INFINITY).length
  run.amountText = `${runs.length} runs in ${situations.length} states, ${childDelays.length} tasks and subflows`
  return [
    exactly('cancelled runs that are not terminal', unfinished(ownDelays), 0),
    below('longest time from the cancellation to the end', largest(ownDelays), graceSeconds + 5, 's'),
    exactly('tasks and subflows that are not terminal', unfinished(childDelays), 0),
    below('longest time from the cancellation to the end of a task or subflow', largest(childDelays), graceSeconds + 5, 's'),
    exactly('slots still in use', Number((await db.first<{ count: number }>(leases))?.count), 0),
    exactly('requests that failed', client.problems, 0),
    observed('runs whose client was dead', runs.filter(({ isAlive }) => !isAlive).length),
  ]
}

export const cancellations: Proof = {
  id: 'R11',
  promise: 'a cancelled run ends in time in every state, with its tasks, subflows and slots, whether its client lives or not',
  databases: ['sqlite', 'postgres'],
  full: { amount: 1000, unit: 'runs' },
  method: `Runs of a deployment with a concurrency limit are brought into one of ${situations.length} states (${situations.join(', ')}), the started ones with two tasks and a subflow with a task. Each is cancelled as the dashboard does it. At random, a client confirms the end within a second, or nobody does. The grace period is ${graceSeconds} seconds.`,
  failure: `A run, task or subflow is not terminal ${graceSeconds + 5} seconds after the cancellation, a slot is still in use, or a request fails.`,
  run,
}

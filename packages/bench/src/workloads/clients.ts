import { setTimeout as pause } from 'node:timers/promises'
import { openEventSender } from '../event-sender.ts'
import type { HttpConnection } from '../http-connection.ts'
import type { LoopResult } from '../loop-result.ts'
import { type BenchContext, check, isoTime, stateOf, type User, type Workload } from '../workload.ts'
import { createFlowRun, setState } from './runs.ts'

const taskCount = 10
const workerCount = 200
const taskStates = ['PENDING', 'RUNNING', 'COMPLETED'] as const

/** What the stock Python client and its workers send, request by request (docs/benchmarks.md). */
export const clientWorkloads = (context: BenchContext): Workload[] => [clientRun(context), workerRun(context), workerPolls(context)]

/** One process runs a flow with ten tasks: it reports the states of its tasks as events, over a connection of its own. */
function clientRun(context: BenchContext): Workload {
  const reported = new ReportedTasks(context)
  return {
    name: 'client.run',
    unit: 'runs',
    prepare: () => reported.begin(),
    async operation({ http, number, turn }) {
      await introduce(context, http)
      const id = await createFlowRun(context, http, `client-${number}-${turn}`)
      await runFlow(context, { http, number }, id)
      reported.sent += taskCount
    },
    finish: () => reported.wait(),
  }
}

/** The same, of a deployment: a worker polls, claims the run, starts the process, and the process runs the flow. */
function workerRun(context: BenchContext): Workload {
  const reported = new ReportedTasks(context)
  const { fixtures } = context
  return {
    name: 'client.worker_run',
    unit: 'runs',
    prepare: () => reported.begin(),
    async operation({ http, number, turn }) {
      const deploymentId = fixtures.deploymentIds[number % fixtures.deploymentIds.length] as string
      const run = await http.post(`/deployments/${deploymentId}/create_flow_run`, {
        name: `${context.stamp}-worker-${number}-${turn}`,
        state: { type: 'SCHEDULED', state_details: { scheduled_time: isoTime(Date.now()) } },
        parameters: {},
        tags: [fixtures.prefix],
      })
      await poll(context, http)
      await setState(http, 'flow_runs', run.id, 'PENDING')
      await http.call('PATCH', `/flow_runs/${run.id}`, { infrastructure_pid: `host:${number}` })
      await introduce(context, http)
      await http.get(`/flow_runs/${run.id}`)
      await http.get(`/deployments/${deploymentId}`)
      await runFlow(context, { http, number }, run.id)
      reported.sent += taskCount
    },
    finish: () => reported.wait(),
  }
}

/** 200 workers: each asks for its runs, and reports that it lives. */
function workerPolls(context: BenchContext): Workload {
  return {
    name: 'client.polls',
    unit: 'polls',
    usersMin: workerCount,
    async operation({ http, number, turn }) {
      await poll(context, http)
      // Every other poll, as a worker with default settings.
      const name = `${context.stamp}-worker-${number}`
      if (turn % 2 === 0)
        await http.raw('POST', `/work_pools/${context.fixtures.poolName}/workers/heartbeat`, { name, heartbeat_interval_seconds: 30 })
    },
  }
}

async function poll({ fixtures }: BenchContext, http: HttpConnection): Promise<void> {
  const scheduled_before = isoTime(Date.now() + 10_000)
  const runs = await http.post(`/work_pools/${fixtures.poolName}/get_scheduled_flow_runs`, { work_queue_names: [], scheduled_before })
  check(Array.isArray(runs), 'a poll answers a list')
}

/** The first requests of every process. */
async function introduce({ fixtures }: BenchContext, http: HttpConnection): Promise<void> {
  await http.get('/admin/version')
  await http.post('/flows/', { name: `${fixtures.prefix}-flow-0` })
}

/** From RUNNING to COMPLETED. The pong of the last ping says that all events are stored. */
async function runFlow(context: BenchContext, { http, number }: Pick<User, 'http' | 'number'>, id: string): Promise<void> {
  await setState(http, 'flow_runs', id, 'RUNNING')
  const events = await openEventSender(context, number)
  try {
    for (let n = 0; n < taskCount; n += 1) {
      await http.get('/admin/storage')
      for (const event of taskEvents(context, id, n)) events.send(event)
    }
    await events.confirm()
    await http.raw('POST', '/logs/', logLines(id))
    await setState(http, 'flow_runs', id, 'COMPLETED')
  } finally {
    events.close()
  }
}

const logLines = (flowRunId: string): object[] =>
  Array.from({ length: taskCount + 2 }, (_, line) => ({
    name: 'prefect.task_runs',
    level: 20,
    message: `Finished in state Completed() ${line}`,
    timestamp: isoTime(Date.now()),
    flow_run_id: flowRunId,
  }))

/** The events by which the client reports a task run, with all their fields. */
function taskEvents({ fixtures, newId }: BenchContext, flowRunId: string, number: number): object[] {
  const id = newId()
  const name = `step-${number}`
  const related = [
    { 'prefect.resource.id': `prefect.flow-run.${flowRunId}`, 'prefect.resource.role': 'flow-run', 'prefect.resource.name': 'bench' },
    {
      'prefect.resource.id': `prefect.flow.${fixtures.flowIds[0]}`,
      'prefect.resource.role': 'flow',
      'prefect.resource.name': `${fixtures.prefix}-flow-0`,
    },
    { 'prefect.resource.id': `prefect.tag.${fixtures.prefix}`, 'prefect.resource.role': 'tag' },
  ]
  let follows: string | null = null
  let before: object | null = null
  return taskStates.map((type, step) => {
    // Microseconds distinguish the states of a task that takes less than a millisecond.
    const at = isoTime(Date.now()).replace('Z', `${step}00Z`)
    const isPending = type === 'PENDING'
    const state = { ...stateOf(type), message: '', data: null, state_details: { ...noDetails, flow_run_id: flowRunId, task_run_id: id } }
    const event = {
      id: newId(),
      occurred: at,
      event: `prefect.task-run.${state.name}`,
      follows,
      resource: {
        'prefect.resource.id': `prefect.task-run.${id}`,
        'prefect.resource.name': name,
        'prefect.run-count': isPending ? '0' : '1',
        'prefect.state-message': '',
        'prefect.state-name': state.name,
        'prefect.state-type': type,
        'prefect.state-timestamp': at,
        'prefect.orchestration': 'client',
      },
      related,
      payload: {
        intended: { from: step === 0 ? null : taskStates[step - 1], to: type },
        initial_state: before,
        validated_state: { ...state, id: newId(), timestamp: at },
        task_run: {
          name,
          task_key: 'step-874966a7',
          dynamic_key: String(number),
          empirical_policy: { max_retries: 0, retry_delay_seconds: 0, retries: 0, retry_delay: 0, retry_jitter_factor: null },
          task_inputs: { x: [] },
          flow_run_run_count: 1,
          run_count: isPending ? 0 : 1,
          tags: [],
          labels: { 'prefect.flow.id': fixtures.flowIds[0], 'prefect.flow-run.id': flowRunId },
          cache_key: null,
          cache_expiration: null,
          task_version: null,
          start_time: isPending ? null : at,
          end_time: type === 'COMPLETED' ? at : null,
          total_run_time: 0.01,
          expected_start_time: at,
          next_scheduled_start_time: null,
          estimated_run_time: 0.01,
          estimated_start_time_delta: 0,
        },
      },
    }
    follows = event.id
    before = { ...state, timestamp: at }
    return event
  })
}

const noDetails = {
  child_flow_run_id: null,
  scheduled_time: null,
  cache_key: null,
  cache_expiration: null,
  deferred: false,
  untrackable_result: false,
  pause_timeout: null,
  pause_reschedule: false,
  pause_key: null,
  run_input_keyset: null,
  refresh_cache: null,
  retriable: null,
  transition_id: null,
  task_parameters_id: null,
  traceparent: null,
}

const pollMs = 200
/** A server that stores nothing more for this many polls has lost the rest. */
const stillPollsMax = 100

/** Counts the task runs that can be read, because a server may answer before it stores them. */
class ReportedTasks {
  readonly #context: BenchContext
  sent = 0
  #before = 0
  #began = 0

  constructor(context: BenchContext) {
    this.#context = context
  }

  async begin(): Promise<void> {
    this.sent = 0
    this.#before = await this.#count()
    this.#began = performance.now()
  }

  async wait(): Promise<Pick<LoopResult, 'stored'>> {
    let [visible, last, still] = [0, -1, 0]
    while (visible < this.sent && still < stillPollsMax) {
      await pause(pollMs)
      visible = (await this.#count()) - this.#before
      still = visible === last ? still + 1 : 0
      last = visible
    }
    check(visible >= this.sent, `${visible} of ${this.sent} task runs are completed`)
    const seconds = (performance.now() - this.#began) / 1000
    return { stored: { sent: this.sent, visible, perSecond: Math.round(visible / seconds) } }
  }

  #count(): Promise<number> {
    const { setup, fixtures } = this.#context
    return setup.post('/task_runs/count', {
      task_runs: { state: { type: { any_: ['COMPLETED'] } }, name: { any_: Array.from({ length: taskCount }, (_, n) => `step-${n}`) } },
      flows: { id: { any_: fixtures.flowIds } },
    })
  }
}

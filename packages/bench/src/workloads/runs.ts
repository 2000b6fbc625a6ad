import type { HttpConnection } from '../http-connection.ts'
import { type BenchContext, check, stateOf, type Workload } from '../workload.ts'

/** Creates a flow run in a state. */
export async function createFlowRun({ fixtures, stamp }: BenchContext, http: HttpConnection, name: string, type = 'PENDING'): Promise<string> {
  const run = await http.post('/flow_runs/', {
    flow_id: fixtures.flowIds[0],
    name: `${stamp}-${name}`,
    state: stateOf(type),
    tags: [fixtures.prefix],
    parameters: { number: 7, customer: 'customer-7' },
    context: {},
    empirical_policy: { retries: 0, retry_delay: 0 },
  })
  check(run.id && run.state?.type === type && run.name === `${stamp}-${name}`, `the created run is ${run.state?.type}`)
  return run.id
}

/** Proposes a state, which must be accepted. */
export async function setState(http: HttpConnection, kind: 'flow_runs' | 'task_runs', id: string, type: string): Promise<void> {
  const answer = await http.post(`/${kind}/${id}/set_state`, { state: stateOf(type), force: false })
  check(answer.status === 'ACCEPT' && answer.state?.type === type, `set_state ${type}: ${answer.status} ${answer.state?.type}`)
}

async function createTaskRun({ fixtures }: BenchContext, http: HttpConnection, flowRunId: string, key: string): Promise<string> {
  const task = await http.post('/task_runs/', {
    flow_run_id: flowRunId,
    task_key: 'bench.task',
    dynamic_key: key,
    name: `task-${key}`,
    tags: [fixtures.prefix],
    task_inputs: {},
    empirical_policy: { retries: 0, retry_delay: 0 },
  })
  check(task.id && task.flow_run_id === flowRunId, 'the created task run belongs to another flow run')
  return task.id
}

/** Flow runs that the users of a workload share. */
const sharedRuns = 4

export const runWorkloads = (context: BenchContext): Workload[] => [lifecycle(context), oneTaskRun(context), tasks(context)]

/** Four requests: create a pending run, set it to running, to completed, and read it. */
function lifecycle(context: BenchContext): Workload {
  return {
    name: 'lifecycle',
    unit: 'runs',
    async operation({ http, number, turn }) {
      const id = await createFlowRun(context, http, `life-${number}-${turn}`)
      await setState(http, 'flow_runs', id, 'RUNNING')
      await setState(http, 'flow_runs', id, 'COMPLETED')
      const read = await http.get(`/flow_runs/${id}`)
      check(read.id === id && read.state_type === 'COMPLETED' && read.run_count === 1 && read.end_time, `the read run is ${read.state_type}`)
    },
  }
}

/** Six requests: a flow run with one task, both completed. */
function oneTaskRun(context: BenchContext): Workload {
  return {
    name: 'one_task_run',
    unit: 'runs',
    async operation({ http, number, turn }) {
      const key = `${context.stamp}-one-${number}-${turn}`
      const id = await createFlowRun(context, http, `one-${number}-${turn}`)
      await setState(http, 'flow_runs', id, 'RUNNING')
      const task = await createTaskRun(context, http, id, key)
      await setState(http, 'task_runs', task, 'RUNNING')
      await setState(http, 'task_runs', task, 'COMPLETED')
      await setState(http, 'flow_runs', id, 'COMPLETED')
    },
  }
}

/** Four requests: create a task run of a running flow run, set it to pending, running and completed. */
function tasks(context: BenchContext): Workload {
  const runIds: string[] = []
  return {
    name: 'tasks',
    unit: 'task runs',
    async prepare() {
      while (runIds.length < sharedRuns) {
        const id = await createFlowRun(context, context.setup, `tasks-${runIds.length}`)
        await setState(context.setup, 'flow_runs', id, 'RUNNING')
        runIds.push(id)
      }
    },
    async operation({ http, number, turn }) {
      const task = await createTaskRun(context, http, runIds[number % sharedRuns] as string, `${context.stamp}-${number}-${turn}`)
      for (const type of ['PENDING', 'RUNNING', 'COMPLETED']) await setState(http, 'task_runs', task, type)
    },
  }
}

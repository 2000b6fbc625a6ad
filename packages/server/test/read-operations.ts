/** Ids of existing rows that the operations ask for. */
export interface ReadFixtures {
  readonly flow: string
  readonly deployment: string
  readonly run: string
  readonly taskRun: string
  /** The time of the newest rows in microseconds. */
  readonly now: number
}

/** A read of the API whose cost must not grow with the number of runs. */
export interface ReadOperation {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

/** Lists, counts, histories, graphs and searches that the dashboard and clients ask for. Events have tests of their own. */
export function readOperations({ flow, deployment, run, taskRun, now }: ReadFixtures): ReadOperation[] {
  const time = (secondsAgo: number) => new Date(now / 1000 - secondsAgo * 1000).toISOString()
  const day = 86_400
  const post = (name: string, path: string, body: object = {}): ReadOperation => ({ name, method: 'POST', path, body })
  const get = (name: string, path: string): ReadOperation => ({ name, method: 'GET', path })

  const runFilters: Readonly<Record<string, object>> = {
    all: {},
    'state type': { flow_runs: { state: { type: { any_: ['FAILED', 'CRASHED'] } } } },
    'state name': { flow_runs: { state: { name: { any_: ['Failed'] } } } },
    'unfinished state': { flow_runs: { state: { type: { any_: ['RUNNING', 'PENDING'] } } } },
    deployment: { flow_runs: { deployment_id: { any_: [deployment] } } },
    'deployment name': { deployments: { name: { any_: ['deployment-3'] } } },
    tags: { flow_runs: { tags: { all_: ['team-7', 'prod'] } } },
    'any tag': { flow_runs: { tags: { any_: ['team-7', 'team-8'] } } },
    'common name': { flow_runs: { name: { like_: 'otter' } } },
    'unknown name': { flow_runs: { name: { like_: 'nobody-has-this' } } },
    'unknown name and state': { flow_runs: { name: { like_: 'nobody-has-this' }, state: { type: { any_: ['COMPLETED'] } } } },
    'complete name': { flow_runs: { name: { any_: ['brisk-otter-8'] } } },
    flow: { flows: { id: { any_: [flow] } } },
    'flow name': { flows: { name: { any_: ['flow-3'] } } },
    'last day': { flow_runs: { expected_start_time: { after_: time(day), before_: time(0) } } },
    'started in the last day': { flow_runs: { start_time: { after_: time(day), before_: time(0) } } },
    'ended in the last day': { flow_runs: { end_time: { after_: time(day) } } },
    'flow, state and last week': {
      flows: { id: { any_: [flow] } },
      flow_runs: { state: { type: { any_: ['FAILED'] } }, expected_start_time: { after_: time(7 * day) } },
    },
    'tag and state': { flow_runs: { tags: { all_: ['team-7'] }, state: { type: { any_: ['FAILED'] } } } },
    pool: { work_pools: { name: { any_: ['pool-1'] } } },
    'subflows of a run': { flow_runs: { parent_flow_run_id: { any_: [run] } } },
    'no parent': { flow_runs: { parent_task_run_id: { is_null_: true } } },
    'task run state': { task_runs: { flow_run_id: { any_: [run] }, state: { type: { any_: ['FAILED'] } } } },
    id: { flow_runs: { id: { any_: [run] } } },
  }
  const sorts = ['START_TIME_DESC', 'EXPECTED_START_TIME_DESC', 'NAME_ASC', 'END_TIME_DESC', 'ID_DESC', 'NEXT_SCHEDULED_START_TIME_ASC'] as const
  const flowRuns = Object.entries(runFilters).flatMap(([name, filters]) => [
    post(`flow runs by ${name}`, '/flow_runs/filter', { sort: 'START_TIME_DESC', limit: 200, ...filters }),
    post(`flow runs by ${name}, expected`, '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_DESC', limit: 200, ...filters }),
    post(`count of flow runs by ${name}`, '/flow_runs/count', { count_up_to: 10_001, ...filters }),
    post(`chart of flow runs by ${name}`, '/ui/flow_runs/history', { sort: 'EXPECTED_START_TIME_DESC', limit: 1000, offset: 0, ...filters }),
  ])

  const stateFilters: Readonly<Record<string, object>> = {
    'state type': { type: { any_: ['FAILED'] } },
    'common state type': { type: { any_: ['COMPLETED', 'RUNNING'] } },
    'excluded state type': { type: { not_any_: ['FAILED'] } },
    'state name': { name: { any_: ['Completed'] } },
    'state type or name': { operator: 'or_', type: { any_: ['RUNNING'] }, name: { any_: ['Completed'] } },
  }

  const taskFilters: Readonly<Record<string, object>> = {
    all: {},
    'flow run': { flow_runs: { id: { any_: [run] } } },
    'flow run id': { task_runs: { flow_run_id: { any_: [run] } } },
    'state type': { task_runs: { state: { type: { any_: ['FAILED'] } } } },
    'state name': { task_runs: { state: { name: { any_: ['Failed'] } } } },
    'common state name': { task_runs: { state: { name: { any_: ['Completed'] } } } },
    'common state type': { task_runs: { state: { type: { any_: ['COMPLETED', 'RUNNING'] } } } },
    'unfinished state': { task_runs: { state: { type: { any_: ['RUNNING', 'PENDING'] } } } },
    'common name': { task_runs: { name: { like_: 'step-3' } } },
    'unknown name': { task_runs: { name: { like_: 'nobody-has-this' } } },
    'complete name': { task_runs: { name: { any_: ['step-8-8'] } } },
    tags: { task_runs: { tags: { all_: ['slow'] } } },
    'unknown tag': { task_runs: { tags: { all_: ['nobody-has-this'] } } },
    flow: { flows: { id: { any_: [flow] } } },
    deployment: { flow_runs: { deployment_id: { any_: [deployment] } } },
    'flow run state': { flow_runs: { state: { type: { any_: ['FAILED'] } } } },
    'last day': { task_runs: { start_time: { after_: time(day), before_: time(0) } } },
    'expected in the last day': { task_runs: { expected_start_time: { after_: time(day), before_: time(0) } } },
    'state and last day': { task_runs: { state: { type: { any_: ['FAILED'] } }, start_time: { after_: time(day) } } },
  }
  const taskSorts = ['EXPECTED_START_TIME_DESC', 'END_TIME_DESC', 'NAME_ASC', 'ID_DESC'] as const
  const taskRuns = Object.entries(taskFilters).flatMap(([name, filters]) => [
    post(`task runs by ${name}`, '/task_runs/filter', { sort: 'EXPECTED_START_TIME_DESC', limit: 50, ...filters }),
    post(`task runs by ${name} by duration`, '/task_runs/filter', { sort: 'DURATION_DESC', limit: 50, ...filters }),
    post(`count of task runs by ${name}`, '/task_runs/count', filters),
    post(`task runs by ${name} by state`, '/ui/task_runs/count', filters),
  ])

  const logFilters: Readonly<Record<string, object>> = {
    all: {},
    'flow run': { flow_run_id: { any_: [run] } },
    'task run': { task_run_id: { any_: [taskRun] } },
    'flow run and level': { flow_run_id: { any_: [run] }, level: { ge_: 40 } },
    'flow run and text': { flow_run_id: { any_: [run] }, text: { query: 'nobody-has-this' } },
    level: { level: { ge_: 40 } },
    'unused level': { level: { ge_: 50 } },
    'last hour': { timestamp: { after_: time(3600) } },
    'last day and text': { timestamp: { after_: time(day) }, text: { query: 'nobody-has-this' } },
    text: { text: { query: 'nobody-has-this' } },
  }
  const history = (seconds: number, interval: number, filters: object = {}) => ({
    history_start: time(seconds),
    history_end: time(0),
    history_interval_seconds: interval,
    ...filters,
  })
  return [
    ...flowRuns,
    ...sorts.map((sort) => post(`flow runs sorted by ${sort}`, '/flow_runs/filter', { sort, limit: 200 })),
    post('first page of flow runs', '/flow_runs/paginate', { sort: 'START_TIME_DESC', limit: 25, page: 1 }),
    post('page 30 of flow runs', '/flow_runs/paginate', { sort: 'START_TIME_DESC', limit: 25, page: 30 }),
    post('exact count of flow runs', '/flow_runs/count'),
    post('first page of completed flow runs', '/flow_runs/paginate', {
      sort: 'START_TIME_DESC',
      limit: 25,
      page: 1,
      flow_runs: { state: { type: { any_: ['COMPLETED'] } } },
    }),
    ...Object.entries(stateFilters).map(([name, state]) => post(`exact count of flow runs by ${name}`, '/flow_runs/count', { flow_runs: { state } })),
    post('history of a day', '/flow_runs/history', history(day, 1800)),
    post('history of a week', '/flow_runs/history', history(7 * day, 3600)),
    post('history of a month', '/flow_runs/history', history(30 * day, 5400)),
    post('history of a week of failed runs', '/flow_runs/history', history(7 * day, 3600, { flow_runs: { state: { type: { any_: ['FAILED'] } } } })),
    post('history of a week of started runs', '/flow_runs/history', history(7 * day, 3600, { flow_runs: { start_time: { after_: time(7 * day) } } })),
    post('history of task runs of a week', '/task_runs/history', history(7 * day, 3600)),
    post('history of a week of a flow', '/flow_runs/history', history(7 * day, 3600, { flows: { id: { any_: [flow] } } })),
    post('history of a week of a deployment', '/flow_runs/history', history(7 * day, 3600, { flow_runs: { deployment_id: { any_: [deployment] } } })),
    post('history of task runs of a day', '/task_runs/history', history(day, 1800)),
    post('lateness of the last day', '/flow_runs/lateness', { flow_runs: { expected_start_time: { after_: time(day), before_: time(0) } } }),
    post('lateness of the last week', '/flow_runs/lateness', { flow_runs: { expected_start_time: { after_: time(7 * day) } } }),
    post('count of the failed flow runs of a week', '/flow_runs/count', {
      flow_runs: { state: { type: { any_: ['FAILED'] } }, expected_start_time: { after_: time(7 * day), before_: time(0) } },
    }),
    post('failed task runs by end', '/task_runs/filter', { sort: 'END_TIME_DESC', limit: 50, task_runs: { state: { type: { any_: ['FAILED'] } } } }),
    post('dashboard counts of task runs', '/ui/task_runs/dashboard/counts', { task_runs: { start_time: { after_: time(day) } } }),
    post('task counts of flow runs', '/ui/flow_runs/count-task-runs', { flow_run_ids: [run] }),
    post('latest runs', '/ui/flow_runs/latest', { flow_ids: [flow], deployment_ids: [deployment], limit: 10 }),
    get('graph', `/flow_runs/${run}/graph-v2`),
    get('older graph', `/flow_runs/${run}/graph`),
    get('a flow run', `/flow_runs/${run}`),
    get('a task run', `/ui/task_runs/${taskRun}`),
    get('states of a flow run', `/flow_run_states/?flow_run_id=${run}`),
    get('states of a task run', `/task_run_states/?task_run_id=${taskRun}`),
    ...taskRuns,
    ...taskSorts.map((sort) => post(`task runs sorted by ${sort}`, '/task_runs/filter', { sort, limit: 50 })),
    post('first page of task runs', '/task_runs/paginate', { sort: 'EXPECTED_START_TIME_DESC', limit: 25, page: 1 }),
    ...Object.entries(logFilters).map(([name, logs]) => post(`logs by ${name}`, '/logs/filter', { logs, sort: 'TIMESTAMP_ASC', limit: 200 })),
    ...Object.entries(logFilters).map(([name, logs]) => post(`latest logs by ${name}`, '/logs/filter', { logs, sort: 'TIMESTAMP_DESC', limit: 200 })),
    post('artifacts', '/artifacts/filter', { sort: 'CREATED_DESC', limit: 50 }),
    post('artifacts of a run', '/artifacts/filter', { artifacts: { flow_run_id: { any_: [run] } }, limit: 50 }),
    post('artifacts of a key', '/artifacts/filter', { artifacts: { key: { any_: ['report-7'] } }, sort: 'CREATED_DESC', limit: 50 }),
    post('artifacts of a type', '/artifacts/filter', { artifacts: { type: { any_: ['table'] } }, sort: 'CREATED_DESC', limit: 50 }),
    post('artifacts by part of a key', '/artifacts/filter', { artifacts: { key: { like_: 'nobody-has-this' } }, sort: 'CREATED_DESC', limit: 50 }),
    post('latest artifacts', '/artifacts/latest/filter', { sort: 'UPDATED_DESC', limit: 50 }),
    post('count of artifacts', '/artifacts/count'),
    post('count of latest artifacts', '/artifacts/latest/count'),
    post('flows', '/flows/paginate', { sort: 'NAME_ASC', limit: 25, page: 1 }),
    post('flows with failed runs', '/flows/filter', { flow_runs: { state: { type: { any_: ['FAILED'] } } }, limit: 25 }),
    post('flows with runs of no name', '/flows/count', { flow_runs: { name: { like_: 'nobody-has-this' } } }),
    post('next runs of flows', '/ui/flows/next-runs', { flow_ids: [flow] }),
    post('deployments', '/deployments/paginate', { sort: 'NAME_ASC', limit: 25, page: 1 }),
    post('deployments with failed runs', '/deployments/filter', { flow_runs: { state: { type: { any_: ['FAILED'] } } }, limit: 25 }),
    post('scheduled runs of deployments', '/deployments/get_scheduled_flow_runs', { deployment_ids: [deployment] }),
    post('work pools', '/work_pools/filter', {}),
    post('work queues', '/work_queues/filter', {}),
    post('slots of a work pool', '/work_pools/pool-1/concurrency_status'),
    post('runs for a worker', '/work_pools/pool-1/get_scheduled_flow_runs', { work_queue_names: [] }),
  ]
}

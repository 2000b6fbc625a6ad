import type { ResponseChecker } from './response-checker.ts'

const at = (second: number) => `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`
const history = { history_start: '2029-12-31T00:00:00Z', history_end: '2030-01-02T00:00:00Z', history_interval_seconds: 3600 }

/** Flows, their runs and tasks, from creation to deletion. */
export async function exerciseRunRoutes({ call }: ResponseChecker): Promise<void> {
  const flow = await call('POST', '/flows/', { name: 'grist', tags: ['stone'], labels: { speed: 1.5, wet: true } })
  await call('POST', '/flows/', { name: 'grist' })
  await call('GET', `/flows/${flow.id}`)
  await call('GET', '/flows/name/grist')
  await call('PATCH', `/flows/${flow.id}`, { tags: ['water'] })
  await call('POST', '/flows/filter', { flows: { name: { like_: 'gr%' } } })
  await call('POST', '/flows/paginate', {})
  await call('POST', '/flows/count', {})

  const run = await call('POST', '/flow_runs/', {
    flow_id: flow.id,
    parameters: { x: [1, { y: null }] },
    empirical_policy: { retries: 1, retry_delay: 5 },
    tags: ['a'],
    state: { type: 'PENDING' },
  })
  await call('POST', '/flow_runs/', { flow_id: flow.id, idempotency_key: 'one' })
  await call('POST', '/flow_runs/', { flow_id: flow.id, idempotency_key: 'one' })
  await exerciseStates({ call } as ResponseChecker, run.id)
  await exerciseTasks({ call } as ResponseChecker, run.id)
  await exerciseReports({ call } as ResponseChecker, run.id)
  await call('GET', `/flow_runs/${run.id}`)
  await call('PATCH', `/flow_runs/${run.id}`, { name: 'renamed', infrastructure_pid: 'here:1' })
  await call('PATCH', `/flow_runs/${run.id}/labels`, { a: 1 })
  await call('POST', '/flow_runs/filter', { sort: 'START_TIME_DESC' })
  await call('POST', '/flow_runs/paginate', {})
  await call('POST', '/flow_runs/count', {})
  await call('POST', '/flow_runs/history', history)
  await call('POST', '/flow_runs/lateness', {})
  await call('GET', `/flow_runs/${run.id}/graph`)
  await call('GET', `/flow_runs/${run.id}/graph-v2`)
  await call('POST', '/ui/flows/count-deployments', { flow_ids: [flow.id] })
  await call('POST', '/ui/flows/next-runs', { flow_ids: [flow.id] })
  await call('POST', '/ui/flow_runs/history', {})
  await call('POST', '/ui/flow_runs/count-task-runs', { flow_run_ids: [run.id] })
  await exerciseInputs({ call } as ResponseChecker, run.id)
  await call('POST', '/flow_runs/bulk_set_state', { state: { type: 'CANCELLED' }, force: true })
  const other = await call('POST', '/flow_runs/', { flow_id: flow.id })
  await call('DELETE', `/flow_runs/${other.id}`)
  await call('POST', '/flow_runs/bulk_delete', { flow_runs: { id: { any_: [run.id] } } })
  await call('POST', '/flows/bulk_delete', { flows: { name: { any_: ['nobody'] } } })
  await call('DELETE', `/flows/${flow.id}`)
}

/** A record that is applied, one that the rules reject, and one of an outdated attempt. */
async function exerciseReports({ call }: ResponseChecker, flow_run_id: string): Promise<void> {
  const record = (number: number, fields: object) => ({ number, id: crypto.randomUUID(), flow_run_id, ...fields })
  const report = (...records: object[]) => call('POST', '/runs/report', { records })
  const { answers } = await report(record(1, { kind: 'state', state: { type: 'PENDING' } }))
  const { attempt } = answers[0]
  const log = { kind: 'log', name: 'mill', level: 20, message: 'done', timestamp: at(9) }
  await report(record(1, { ...log, attempt }), record(2, { ...log, attempt: attempt + 1 }))
}

async function exerciseStates({ call }: ResponseChecker, run: string): Promise<void> {
  const propose = (type: string, more: object = {}) => call('POST', `/flow_runs/${run}/set_state`, { state: { type, ...more } })
  await propose('RUNNING')
  await propose('PAUSED', { state_details: { pause_timeout: '2030-01-02T00:00:00Z', pause_key: 'k' } })
  await call('POST', `/flow_runs/${run}/resume`, {})
  await propose('RUNNING')
  await propose('FAILED', { message: 'dry', data: { type: 'unpersisted' } })
  await propose('RUNNING')
  await propose('PENDING')
  await propose('CRASHED')
  await call('GET', '/observed-states')
  const states = await call('GET', `/flow_run_states/?flow_run_id=${run}`)
  await call('GET', `/flow_run_states/${states[0].id}`)
  await call('GET', `/flow_runs/${run}/verdicts`)
}

async function exerciseTasks({ call }: ResponseChecker, flow_run_id: string): Promise<void> {
  const task = await call('POST', '/task_runs/', {
    flow_run_id,
    task_key: 'grind',
    dynamic_key: '0',
    state: { type: 'PENDING' },
    empirical_policy: { retries: 2, retry_delay: [1, 2.5], retry_jitter_factor: 0.5 },
    task_inputs: { stone: [{ input_type: 'constant', type: 'int' }] },
  })
  await call('POST', '/task_runs/', { flow_run_id, task_key: 'grind', dynamic_key: '0' })
  await call('POST', '/task_runs/', {
    flow_run_id,
    task_key: 'sift',
    dynamic_key: '0',
    task_inputs: { flour: [{ input_type: 'task_run', id: task.id }] },
  })
  await call('POST', `/task_runs/${task.id}/set_state`, { state: { type: 'RUNNING' } })
  await call('POST', `/task_runs/${task.id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
  await call('GET', `/task_runs/${task.id}`)
  await call('GET', `/ui/task_runs/${task.id}`)
  await call('PATCH', `/task_runs/${task.id}`, { name: 'milled' })
  await call('POST', '/task_runs/filter', {})
  await call('POST', '/task_runs/paginate', {})
  await call('POST', '/task_runs/count', {})
  await call('POST', '/task_runs/history', history)
  await call('POST', '/ui/task_runs/dashboard/counts', { task_runs: { start_time: { after_: at(0), before_: at(50) } } })
  await call('POST', '/ui/task_runs/count', {})
  const states = await call('GET', `/task_run_states/?task_run_id=${task.id}`)
  await call('GET', `/task_run_states/${states[0].id}`)
  await call('GET', `/task_runs/${task.id}/verdicts`)
  const gone = await call('POST', '/task_runs/', { flow_run_id, task_key: 'gone', dynamic_key: '0' })
  await call('DELETE', `/task_runs/${gone.id}`)
  await exerciseLogsAndArtifacts({ call } as ResponseChecker, flow_run_id, task.id)
}

async function exerciseLogsAndArtifacts({ call }: ResponseChecker, flow_run_id: string, task_run_id: string): Promise<void> {
  await call('POST', '/logs/', [{ name: 'mill', level: 20, message: 'turning', timestamp: at(1), flow_run_id, task_run_id }])
  await call('POST', '/logs/filter', { logs: { flow_run_id: { any_: [flow_run_id] } } })
  await call('GET', `/flow_runs/${flow_run_id}/logs/download`)
  const artifact = await call('POST', '/artifacts/', {
    key: 'flour',
    type: 'table',
    description: '# Flour',
    data: [{ kg: 1.5 }],
    metadata_: { a: 'b' },
    flow_run_id,
    task_run_id,
  })
  await call('GET', `/artifacts/${artifact.id}`)
  await call('GET', '/artifacts/flour/latest')
  await call('PATCH', `/artifacts/${artifact.id}`, { description: 'Fine' })
  for (const where of ['', '/latest']) {
    await call('POST', `/artifacts${where}/filter`, {})
    await call('POST', `/artifacts${where}/count`, {})
  }
  await call('DELETE', `/artifacts/${artifact.id}`)
}

async function exerciseInputs({ call }: ResponseChecker, run: string): Promise<void> {
  await call('POST', `/flow_runs/${run}/input`, { key: 'answer', value: '{"x":1}', sender: 'prefect.flow-run.x' })
  await call('POST', `/flow_runs/${run}/input/filter`, { prefix: 'a' })
  await call('GET', `/flow_runs/${run}/input/answer`)
  await call('DELETE', `/flow_runs/${run}/input/answer`)
}

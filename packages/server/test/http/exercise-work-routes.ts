import type { ResponseChecker } from './response-checker.ts'

/** Deployments, and the pools, queues and workers that carry them out. */
export async function exerciseWorkRoutes({ call }: ResponseChecker): Promise<void> {
  const flow = await call('POST', '/flows/', { name: 'race' })
  await call('POST', '/work_pools/', {
    name: 'mill',
    type: 'process',
    description: 'Old',
    concurrency_limit: 3,
    base_job_template: {
      job_configuration: { command: '{{ command }}' },
      variables: { type: 'object', properties: { command: { type: 'string' } } },
    },
  })
  await call('PATCH', '/work_pools/mill', { description: 'New' })
  await call('POST', '/work_pools/mill/queues', { name: 'fast', priority: 1, concurrency_limit: 2 })
  const deployment = await call('POST', '/deployments/', {
    name: 'daily',
    flow_id: flow.id,
    work_pool_name: 'mill',
    work_queue_name: 'fast',
    parameters: { x: 1 },
    parameter_openapi_schema: { type: 'object', properties: { x: { type: 'integer' } } },
    concurrency_limit: 2,
    concurrency_options: { collision_strategy: 'ENQUEUE', grace_period_seconds: 60 },
    global_concurrency_limit_id: null,
    pull_steps: [{ 'prefect.deployments.steps.set_working_directory': { directory: '/' } }],
    schedules: [
      { schedule: { interval: 3600, anchor_date: '2030-01-01T00:00:00Z', timezone: 'UTC' }, slug: 'hourly' },
      { schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' }, slug: 'weekly', active: false },
      { schedule: { rrule: 'FREQ=DAILY', timezone: 'UTC' }, slug: 'daily', parameters: { x: 2 } },
    ],
  })
  await exerciseDeployment({ call } as ResponseChecker, flow.name, deployment)
  await exercisePool({ call } as ResponseChecker)
  await call('DELETE', `/deployments/${deployment.id}`)
  await call('POST', '/deployments/bulk_delete', {})
  await call('DELETE', '/work_pools/mill/queues/fast')
  await call('DELETE', '/work_pools/mill')
  await exerciseQueues({ call } as ResponseChecker)
}

async function exerciseDeployment({ call }: ResponseChecker, flow: string, { id, name }: { id: string; name: string }): Promise<void> {
  await call('GET', `/deployments/${id}`)
  await call('GET', `/deployments/name/${flow}/${name}`)
  await call('PATCH', `/deployments/${id}`, { description: 'Every day' })
  await call('POST', '/deployments/filter', {})
  await call('POST', '/deployments/paginate', {})
  await call('POST', '/deployments/count', {})
  await call('POST', `/deployments/${id}/schedule`, {})
  await call('POST', '/deployments/get_scheduled_flow_runs', { deployment_ids: [id] })
  await call('GET', `/deployments/${id}/work_queue_check`)
  await call('POST', `/deployments/${id}/pause_deployment`)
  await call('POST', `/deployments/${id}/resume_deployment`)
  const [schedule] = await call('POST', `/deployments/${id}/schedules`, [{ schedule: { interval: 60 }, slug: 'often' }])
  await call('GET', `/deployments/${id}/schedules`)
  await call('PATCH', `/deployments/${id}/schedules/${schedule.id}`, { active: false })
  await call('DELETE', `/deployments/${id}/schedules/${schedule.id}`)
  await call('POST', `/deployments/${id}/create_flow_run`, { parameters: { x: 3 }, job_variables: { command: 'turn' } })
  await call('POST', `/deployments/${id}/create_flow_run/bulk`, [{ name: 'one of many' }])
}

async function exercisePool({ call }: ResponseChecker): Promise<void> {
  await call('POST', '/work_pools/mill/workers/heartbeat', { name: 'miller', heartbeat_interval_seconds: 30 })
  await call('POST', '/work_pools/mill/workers/filter', {})
  await call('POST', '/work_pools/mill/get_scheduled_flow_runs', {})
  await call('POST', '/work_pools/mill/concurrency_status', {})
  await call('GET', '/work_pools/mill')
  await call('POST', '/work_pools/filter', {})
  await call('POST', '/work_pools/count', {})
  await call('POST', '/work_pools/mill/queues/filter', {})
  await call('GET', '/work_pools/mill/queues/fast')
  await call('PATCH', '/work_pools/mill/queues/fast', { is_paused: true })
  await call('DELETE', '/work_pools/mill/workers/miller')
}

async function exerciseQueues({ call }: ResponseChecker): Promise<void> {
  const queue = await call('POST', '/work_queues/', { name: 'alone', concurrency_limit: 1 })
  await call('GET', `/work_queues/${queue.id}`)
  await call('GET', '/work_queues/name/alone')
  await call('PATCH', `/work_queues/${queue.id}`, { description: 'Quiet' })
  await call('POST', '/work_queues/filter', {})
  await call('POST', `/work_queues/${queue.id}/get_runs`, {})
  await call('POST', `/work_queues/${queue.id}/concurrency_status`, {})
  await call('GET', `/work_queues/${queue.id}/status`)
  await call('DELETE', `/work_queues/${queue.id}`)
}

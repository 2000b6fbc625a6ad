import type { SeededServer } from './seeded-server.ts'

/** A deployment with many parameters and a limit whose slot is in use. */
export interface SeedCapacity {
  /** A deployment with parameters of many types, active schedules and a concurrency limit. */
  readonly manualDeployment: string
  /** ID of the limit `gpu`. */
  readonly gpuLimit: string
}

const parameters = {
  title: 'Parameters',
  type: 'object',
  required: ['region', 'since', 'source'],
  properties: {
    region: { title: 'Region', type: 'string', enum: ['eu', 'us', 'apac'], description: 'Where orders are read from', position: 0 },
    since: { title: 'Since', type: 'string', format: 'date-time', description: 'Older orders are left alone', position: 1 },
    batch_size: { title: 'Batch size', type: 'integer', default: 500, minimum: 1, maximum: 10_000, position: 2 },
    dry_run: { title: 'Dry run', type: 'boolean', default: false, description: 'Reads everything and writes nothing', position: 3 },
    tables: { title: 'Tables', type: 'array', items: { type: 'string' }, default: ['orders', 'customers'], position: 4 },
    source: { title: 'Source', anyOf: [{ type: 'string', title: 'Address' }, { $ref: '#/definitions/Bucket' }], position: 5 },
    retry: { title: 'Retry', $ref: '#/definitions/Retry', position: 6 },
    env: { title: 'Environment', type: 'object', additionalProperties: { type: 'string' }, default: { LOG_LEVEL: 'debug' }, position: 7 },
  },
  definitions: {
    Bucket: { title: 'Bucket', type: 'object', required: ['name'], properties: { name: { title: 'Name', type: 'string' } } },
    Retry: {
      title: 'Retry',
      type: 'object',
      required: ['attempts'],
      properties: { attempts: { title: 'Attempts', type: 'integer', default: 3 }, delay: { title: 'Delay', type: 'string', format: 'duration' } },
    },
  },
}

export async function seedCapacity({ call }: SeededServer, flowId: string, runId: string): Promise<SeedCapacity> {
  const { id } = await call('POST', '/deployments/', {
    name: 'by-hand',
    flow_id: flowId,
    work_pool_name: 'kubernetes',
    tags: ['orders'],
    description:
      'Reads the orders of **one region** again.\n\n- `dry_run` shows what would be written\n- ask the data team before you read more than a week',
    entrypoint: 'flows/orders.py:ingest_orders',
    path: '/opt/flows',
    version: '2026.11.3',
    parameters: { region: 'eu', source: 's3://orders/raw' },
    parameter_openapi_schema: parameters,
    job_variables: { namespace: 'etl', cpu_request: '500m' },
    pull_steps: [{ 'prefect.deployments.steps.git_clone': { repository: 'https://git.example.com/data/flows.git', branch: 'main' } }],
    concurrency_limit: 2,
    concurrency_options: { collision_strategy: 'ENQUEUE', grace_period_seconds: 600 },
    schedules: [
      { slug: 'mornings', schedule: { cron: '30 6 * * 1-5', timezone: 'Europe/Berlin' }, parameters: { region: 'us' } },
      { schedule: { rrule: 'FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=3;BYMINUTE=0;BYSECOND=0', timezone: 'UTC' } },
      { active: false, schedule: { interval: 21_600 } },
    ],
  })
  await call('POST', '/work_pools/kubernetes/queues', { name: 'urgent', priority: 1, concurrency_limit: 3, description: 'Before all others' })
  const holder = { type: 'flow_run', id: runId }
  await call('POST', '/v2/concurrency_limits/increment-with-lease', { names: ['gpu'], slots: 1, lease_duration: 86_400, holder })
  await call('POST', '/concurrency_limits/', { tag: 'warehouse', concurrency_limit: 3 })
  return { manualDeployment: id, gpuLimit: (await call('GET', '/v2/concurrency_limits/gpu')).id }
}

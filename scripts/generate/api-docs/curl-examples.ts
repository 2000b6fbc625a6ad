import type { ListedOperation, Schema } from './openapi-types.ts'

/** Bodies of common writes. The examples of a page are executed from top to bottom on an empty server. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /flows/': { name: 'etl', tags: ['prod'] },
  'POST /variables/': { name: 'region', value: 'eu-west-1' },
  'PATCH /variables/name/{name}': { value: 'eu-central-1' },
  'POST /work_pools/': { name: 'local', type: 'process' },
  'PATCH /work_pools/{name}': { concurrency_limit: 10 },
  'POST /work_pools/{work_pool_name}/queues': { name: 'urgent', priority: 1 },
  'POST /v2/concurrency_limits/': { name: 'database', limit: 3 },
  'POST /v2/concurrency_limits/increment-with-lease': { names: ['database'], slots: 1, lease_duration: 60 },
  'POST /concurrency_limits/': { tag: 'gpu', concurrency_limit: 2 },
  'POST /logs/': [{ name: 'shell', level: 20, message: 'Hello', timestamp: '2026-01-01T12:00:00Z' }],
  'POST /artifacts/': { key: 'report', type: 'markdown', data: '# Report' },
  'POST /events': [
    {
      id: '019b7a00-0000-7000-8000-000000000001',
      event: 'sensor.read',
      occurred: '2026-01-01T12:00:00Z',
      resource: { 'prefect.resource.id': 'sensor.1' },
      payload: { celsius: 21 },
    },
  ],
  'POST /runs/report': {
    records: [
      {
        kind: 'log',
        number: 1,
        id: '019b7a00-0000-7000-8000-000000000002',
        flow_run_id: '019b7a00-0000-7000-8000-000000000003',
        attempt: 1,
        name: 'shell',
        level: 20,
        message: 'Hello',
        timestamp: '2026-01-01T12:00:00Z',
      },
    ],
  },
  'POST /automations/': {
    name: 'failed runs',
    trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], match: {} },
    actions: [{ type: 'do-nothing' }],
  },
  'POST /templates/validate': '{{ flow_run.name }}',
}

/** Values of path parameters that the examples above create, by operation. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/flows/name/{name}': { name: 'etl' },
  '/variables/name/{name}': { name: 'region' },
  '/work_pools/{name}': { name: 'local' },
  '/work_pools/{name}/get_scheduled_flow_runs': { name: 'local' },
  '/work_pools/{work_pool_name}/queues': { work_pool_name: 'local' },
  '/work_pools/{work_pool_name}/queues/filter': { work_pool_name: 'local' },
  '/work_pools/{work_pool_name}/queues/{name}': { work_pool_name: 'local', name: 'urgent' },
  '/work_pools/{work_pool_name}/workers/filter': { work_pool_name: 'local' },
  '/v2/concurrency_limits/{id_or_name}': { id_or_name: 'database' },
  '/v2/concurrency_limits/{id_or_name}/holders': { id_or_name: 'database' },
  '/concurrency_limits/tag/{tag}': { tag: 'gpu' },
  '/artifacts/{key}/latest': { key: 'report' },
  '/block_types/slug/{slug}': { slug: 'webhook' },
  '/block_types/slug/{slug}/block_documents': { slug: 'webhook' },
  '/events/count-by/{countable}': { countable: 'event' },
  '/collections/views/{view}': { view: 'aggregate-worker-metadata' },
}

/** A `curl` command that works on a new server, or undefined. Deletions and operations that need ids have none. */
export function curlExample(operation: ListedOperation, resolve: (schema: Schema) => Schema): string | undefined {
  const { method, path } = operation
  if (method === 'DELETE') return undefined
  const values = names[path] ?? {}
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  if (filled.includes('{') || operation.parameters.some(({ in: place, required }) => place !== 'path' && required)) return undefined
  const url = `http://127.0.0.1:4200/api${filled}`
  if (operation.requestBody === undefined) return method === 'GET' ? `curl ${url}` : undefined
  const body = bodies[`${method} ${path}`] ?? emptyBody(resolve(Object.values(operation.requestBody.content)[0]?.schema ?? {}), method)
  return body === undefined ? undefined : `curl ${method === 'POST' ? '' : `--request ${method} `}${url} --json '${JSON.stringify(body)}'`
}

/** For lists and counts, whose body has no required field. */
function emptyBody({ required = [], properties }: Schema, method: string): unknown {
  if (method !== 'POST' || required.length > 0 || properties === undefined) return undefined
  return 'limit' in properties ? { limit: 5 } : {}
}

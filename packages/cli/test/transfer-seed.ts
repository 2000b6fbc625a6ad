import { expect } from 'vitest'
import { dumpDatabase } from '../../server/test/blocks.ts'
import type { TestApp } from '../../server/test/setup.ts'

/** JSON that parsers like to change: large and padded numbers, integer keys, texts that look like other types. */
const awkwardJson =
  '{"z":1,"10":1.0,"2":12345678901234567890,"a":[1e3,-0,0.1000000000000000055,null,true,{"1":{}}],"text":{"n":"1","f":"1.0","b":"yes","d":"2026-01-31","t":"12:30","nul":"null","multi":"one\\n  two\\n\\nthree\\n","crlf":"a\\r\\nb","tab":"\\ta","uni":"Grüße 💥","colon":"a: b","hash":"a #b","empty":""},"":{"__proto__":1}}'

/** Sends a request that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the API
export async function send(app: TestApp, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await app.call(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

/** All rows of the database, to see whether anything was written. */
export const allRows = async (app: TestApp): Promise<string> => (await dumpDatabase(app)).split('\n', 1)[0] as string

export const secretText = 's3cret-of-the-seed'

/** Creates at least one of each kind that is exported, with references between them. */
export async function seedServer(app: TestApp): Promise<void> {
  const documents = await seedBlocks(app)
  await send(app, 'PUT', '/admin/storage', { default_result_storage_block_id: documents.storage })

  await seedPools(app, documents)
  await send(app, 'POST', '/v2/concurrency_limits/', { name: 'database', limit: 3 })
  const shared = (await send(app, 'POST', '/v2/concurrency_limits/', { name: 'rate: api', limit: 10, active: false, slot_decay_per_second: 2.5 })).id
  await send(app, 'POST', '/concurrency_limits/', { tag: 'heavy', concurrency_limit: 2 })
  await send(app, 'POST', '/concurrency_limits/', { tag: 'a/b c', concurrency_limit: 7 })
  const [slow] = (await send(app, 'POST', '/concurrency_limits/filter', {})).filter(({ tag }: { tag: string }) => tag === 'heavy')
  await send(app, 'PATCH', `/v2/concurrency_limits/${slow.id}`, { active: false })

  await send(app, 'POST', '/variables/', `{"name":"awkward","value":${awkwardJson},"tags":["a","1","yes"]}`)
  await send(app, 'POST', '/variables/', '{"name":"big","value":12345678901234567890}')
  await send(app, 'POST', '/variables/', '{"name":"padded","value":1.0}')
  await send(app, 'POST', '/variables/', { name: 'nothing', value: null })
  await send(app, 'POST', '/variables/', { name: 'digits', value: '007' })
  await send(app, 'POST', '/variables/', { name: 'block', value: { $ref: { block_document_id: documents.secret } } })

  await seedDeployments(app, { ...documents, shared })
  await seedAutomations(app, documents)
  await send(app, 'PUT', '/saved_searches/', {
    name: 'late runs',
    filters: [{ object: 'flow_run', property: 'state', type: 'state', operation: 'any', value: ['Late', 1] }],
  })
}

interface SeededDocuments {
  readonly secret: string
  readonly webhook: string
  readonly storage: string
  readonly anonymous: string
}

async function seedBlocks(app: TestApp): Promise<SeededDocuments> {
  await send(app, 'POST', '/block_types/install_system_block_types')
  const schemaOf = async (slug: string) => {
    const { id } = await send(app, 'GET', `/block_types/slug/${slug}`)
    const [schema] = await send(app, 'POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [id] } } })
    return { block_type_id: id, block_schema_id: schema.id }
  }
  const document = async (slug: string, name: string, data: object) =>
    (await send(app, 'POST', '/block_documents/', { name, data, ...(await schemaOf(slug)) })).id as string
  const secret = await document('secret', 'api-key', { value: secretText })
  const webhook = await document('webhook', 'ops', { method: 'POST', url: 'https://hooks.example/x', headers: { a: 'b' } })
  const storage = await document('local-file-system', 'results', { basepath: '/data/results' })

  const type = await send(app, 'POST', '/block_types/', {
    name: 'Warehouse',
    slug: 'warehouse',
    description: 'Rows < columns & more',
    code_example: '```python\nWarehouse.load("x")\n```',
    logo_url: 'https://example.com/logo.png',
  })
  const fields = {
    title: 'Warehouse',
    type: 'object',
    properties: { host: { type: 'string' }, password: { type: 'string' }, extra: { type: 'object' }, store: { $ref: '#/definitions/Store' } },
    required: ['host'],
    block_type_slug: 'warehouse',
    secret_fields: ['password', 'extra.*'],
    block_schema_references: {},
  }
  const old = await send(app, 'POST', '/block_schemas/', { block_type_id: type.id, fields, version: '1.0', capabilities: ['query'] })
  const properties = { ...fields.properties, port: { type: 'integer', default: 5432 } }
  const current = await send(app, 'POST', '/block_schemas/', { block_type_id: type.id, fields: { ...fields, properties }, version: '1.1' })
  const warehouse = (name: string, schema: string, data: object, is_anonymous = false) =>
    send(app, 'POST', '/block_documents/', { name, data, block_type_id: type.id, block_schema_id: schema, is_anonymous })
  await warehouse('legacy', old.id, { host: 'old', password: secretText })
  await warehouse('main', current.id, {
    host: 'db\nsecond line',
    password: secretText,
    extra: { token: secretText, n: 5 },
    key: { $ref: { block_document_id: secret } },
  })
  const anonymous = await warehouse('anonymous-one', current.id, { host: 'unnamed' }, true)
  await warehouse('anonymous-unused', current.id, { host: 'unnamed' }, true)
  await seedNestedBlocks(app)
  return { secret, webhook, storage, anonymous: anonymous.id }
}

/** A type whose schema contains another one, as clients register it. */
async function seedNestedBlocks(app: TestApp): Promise<void> {
  const register = async (slug: string, title: string, more: object) => {
    const type = await send(app, 'POST', '/block_types/', { name: title, slug })
    const fields = { title, type: 'object', block_type_slug: slug, secret_fields: [], block_schema_references: {}, ...more }
    const { id, checksum } = await send(app, 'POST', '/block_schemas/', { block_type_id: type.id, fields })
    const create = async (name: string, data: object) =>
      (await send(app, 'POST', '/block_documents/', { name, data, block_type_id: type.id, block_schema_id: id })).id as string
    return { checksum, fields, create }
  }
  const inner = await register('z-inner', 'Inner', { properties: { n: { type: 'number', default: 1 } } })
  const outer = await register('a-outer', 'Outer', {
    properties: { inner: { $ref: '#/definitions/Inner' } },
    block_schema_references: { inner: { block_schema_checksum: inner.checksum, block_type_slug: 'z-inner' } },
    definitions: { Inner: inner.fields },
  })
  await outer.create('nested', { inner: { $ref: { block_document_id: await inner.create('part', { n: 2 }) } } })
}

async function seedPools(app: TestApp, { storage, secret }: SeededDocuments): Promise<void> {
  const template = `{"job_configuration":{"image":"{{ image }}"},"variables":{"type":"object","properties":{"z":{"type":"number","default":1.0},"image":{"type":"string","default":"python:3.11"},"1":{"default":{"$ref":{"block_document_id":"${secret}"}}}}}}`
  await send(
    app,
    'POST',
    '/work_pools/',
    `{"name":"k8s","type":"kubernetes","description":"Main cluster","concurrency_limit":20,"base_job_template":${template},"storage_configuration":{"bundle_upload_step":{"s3":{"bucket":"x"}},"default_result_storage_block_id":"${storage}"}}`,
  )
  await send(app, 'POST', '/work_pools/', { name: 'local', type: 'process', is_paused: true })
  await send(app, 'PATCH', '/work_pools/local/queues/default', { name: 'main' })
  await send(app, 'POST', '/work_pools/k8s/queues', { name: 'urgent', priority: 1, concurrency_limit: 5 })
  await send(app, 'POST', '/work_pools/k8s/queues', { name: 'night', priority: 9, is_paused: true, description: 'After 22:00' })
}

async function seedDeployments(app: TestApp, { storage, shared, anonymous }: SeededDocuments & { shared: string }): Promise<void> {
  const flow = (await send(app, 'POST', '/flows/', { name: 'etl', tags: ['data'], labels: { team: 'a', level: 1 } })).id
  const other = (await send(app, 'POST', '/flows/', { name: 'report: daily' })).id
  await send(app, 'POST', '/flows/', { name: 'never deployed' })
  await send(
    app,
    'POST',
    '/deployments/',
    `{"name":"nightly","flow_id":"${flow}","description":"Loads\\neverything","version":"1.10","tags":["prod","1"],"labels":{"own":true},"paused":true,
      "work_pool_name":"k8s","work_queue_name":"night","concurrency_limit":4,"concurrency_options":{"collision_strategy":"CANCEL_NEW"},
      "entrypoint":"flows/etl.py:etl","path":"/app","storage_document_id":"${storage}","infrastructure_document_id":"${anonymous}",
      "pull_steps":[{"prefect.deployments.steps.git_clone":{"repository":"https://example.com/r.git","access_token":"{{ prefect.blocks.secret.api-key }}"}}],
      "parameters":${awkwardJson},"enforce_parameter_schema":false,"job_variables":{"image":"x:1","env":{"2":"b","1":"a"}},
      "parameter_openapi_schema":{"type":"object","title":"Parameters","properties":{"z":{"position":0,"default":1.0}}},
      "schedules":[
        {"schedule":{"cron":"0 2 * * *","timezone":"Europe/Berlin"},"slug":"night","parameters":{"rows":1.0}},
        {"schedule":{"interval":3600.5,"anchor_date":"2026-01-01T00:00:00Z"},"active":false,"max_scheduled_runs":5},
        {"schedule":{"rrule":"FREQ=WEEKLY;BYDAY=MO","timezone":"Asia/Tokyo"}},
        {"schedule":{"cron":"5 4 * * 1","day_or":false}}]}`,
  )
  await send(app, 'POST', '/deployments/', { name: 'nightly', flow_id: other, global_concurrency_limit_id: shared, work_pool_name: 'local' })
  await send(app, 'POST', '/deployments/', { name: 'plain', flow_id: other, parameter_openapi_schema: null, pull_steps: null })
  const named = await send(app, 'GET', '/deployments/name/etl/nightly')
  await send(app, 'PATCH', '/work_pools/k8s/queues/urgent', { filter: { tags: ['prod'], deployment_ids: [named.id] } })
}

async function seedAutomations(app: TestApp, { webhook, secret }: SeededDocuments): Promise<void> {
  const id = async (path: string): Promise<string> => (await send(app, 'GET', path)).id
  const deployment = await id('/deployments/name/etl/nightly')
  const pool = await id('/work_pools/k8s')
  const queue = await id('/work_pools/k8s/queues/night')
  const flow = await id('/flows/name/never deployed')
  const trigger = (more: object) => ({ type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], ...more })
  const first = await send(app, 'POST', '/automations/', {
    name: 'notify',
    description: 'Tells operations',
    tags: ['ops'],
    trigger: trigger({
      match: { 'prefect.resource.id': 'prefect.flow-run.*' },
      match_related: {
        'prefect.resource.role': 'deployment',
        'prefect.resource.id': [`prefect.deployment.${deployment}`, `!prefect.work-pool.${pool}`, 'prefect.deployment.*'],
      },
      threshold: 3,
      within: 90.5,
    }),
    actions: [
      { type: 'call-webhook', block_document_id: webhook, payload: '{\n  "a": "{{ event.id }}"\n}' },
      { type: 'pause-deployment', deployment_id: deployment },
      { type: 'pause-work-queue', work_queue_id: queue },
      { type: 'change-flow-run-state', state: 'CANCELLED', message: 'no' },
    ],
    actions_on_resolve: [{ type: 'resume-work-pool', work_pool_id: pool }],
  })
  await send(
    app,
    'POST',
    '/automations/',
    `{"name":"run","enabled":false,"trigger":{"type":"sequence","within":60,"triggers":[
      {"type":"event","posture":"Proactive","expect":["a"],"within":30,"match":{"prefect.resource.id":"prefect.flow.${flow}"}},
      {"type":"compound","require":"any","within":null,"triggers":[{"type":"event","posture":"Reactive","expect":["b"],"for_each":["x"]}]}]},
      "actions":[{"type":"run-deployment","deployment_id":"${deployment}","parameters":${awkwardJson},"job_variables":{"image":"y"},"schedule_after":5},
        {"type":"run-deployment","source":"inferred","parameters":{"key":{"$ref":{"block_document_id":"${secret}"}}}},
        {"type":"pause-automation","automation_id":"${first.id}"}]}`,
  )
  const self = { name: 'self', trigger: trigger({ expect: ['x'] }), actions: [] as object[] }
  const { id: selfId } = await send(app, 'POST', '/automations/', self)
  await send(app, 'PUT', `/automations/${selfId}`, { ...self, actions: [{ type: 'pause-automation', automation_id: selfId }] })
  // Names of automations are not unique.
  for (const expected of ['one', 'two'])
    await send(app, 'POST', '/automations/', { ...self, name: 'twin', trigger: trigger({ expect: [expected] }), actions: [{ type: 'do-nothing' }] })
}

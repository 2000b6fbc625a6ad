import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sendEvent, uuid } from './automations.ts'
import { seedBlockType } from './blocks.ts'
import { eachDialect, type TestApp } from './setup.ts'

/** Letters that PostgreSQL cannot compress for its index. */
const random = (length: number): string => randomBytes(length).toString('hex').slice(0, length)
/** Three bytes each. */
const wide = (length: number): string =>
  Array.from(randomBytes(length * 2), (byte) => String.fromCharCode(0x4e00 + byte * 60))
    .join('')
    .slice(0, length)

interface Named {
  readonly what: string
  readonly save: (name: string) => Promise<{ status: number; body: unknown }>
  /** Names in ASCII only. */
  readonly ascii?: boolean
  /** Two of the names are in one index. */
  readonly bytesMax?: number
}

async function everythingWithAName(app: TestApp): Promise<Named[]> {
  const flow_id = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const flow_run_id = (await app.call('POST', '/flow_runs/', { flow_id, name: 'run' })).body.id
  const task = (more: object) => app.call('POST', '/task_runs/', { flow_run_id, task_key: 'key', dynamic_key: '0', ...more })
  await app.call('POST', '/work_pools/', { name: 'pool' })
  const deployment = (more: object) => app.call('POST', '/deployments/', { flow_id, name: 'deployment', ...more })
  const { id: deploymentId } = (await deployment({})).body
  const { type, schema } = await seedBlockType(app, 'part', { title: 'Part', properties: {} })
  const limit = (await app.call('POST', '/v2/concurrency_limits/', { name: 'limit', limit: 1 })).body.id
  const queue = (await app.call('POST', '/work_queues/', { name: 'queue' })).body.id
  const automation = { trigger: { type: 'event', posture: 'Reactive' }, actions: [] }
  const state = (name: string) => ({ state: { type: 'RUNNING', name } })
  const post = (path: string, body: (name: string) => object) => (name: string) => app.call('POST', path, body(name))
  return [
    { what: 'flow', save: post('/flows/', (name) => ({ name })) },
    { what: 'tag', save: post('/flows/', (name) => ({ name: random(8), tags: [name] })) },
    { what: 'flow run', save: post('/flow_runs/', (name) => ({ flow_id, name })) },
    { what: 'flow run, changed', save: (name) => app.call('PATCH', `/flow_runs/${flow_run_id}`, { name }) },
    { what: 'idempotency key', save: post('/flow_runs/', (idempotency_key) => ({ flow_id, idempotency_key })) },
    { what: 'run of a deployment', save: post(`/deployments/${deploymentId}/create_flow_run`, (name) => ({ name })) },
    { what: 'state', save: post(`/flow_runs/${flow_run_id}/set_state`, state) },
    { what: 'task run', save: (name) => task({ name, dynamic_key: random(8) }) },
    { what: 'task keys', save: (name) => task({ task_key: name, dynamic_key: name }), bytesMax: 1300 },
    { what: 'deployment', save: (name) => deployment({ name }) },
    { what: 'queue of a deployment', save: (work_queue_name) => deployment({ work_pool_name: 'pool', work_queue_name }) },
    { what: 'schedule', save: (slug) => deployment({ schedules: [{ slug, schedule: { interval: 3600 } }] }) },
    { what: 'pool', save: post('/work_pools/', (name) => ({ name })) },
    { what: 'queue', save: post('/work_pools/pool/queues/', (name) => ({ name })) },
    { what: 'queue, changed', save: (name) => app.call('PATCH', `/work_queues/${queue}`, { name }) },
    { what: 'worker', save: post('/work_pools/pool/workers/heartbeat', (name) => ({ name })) },
    { what: 'limit', save: post('/v2/concurrency_limits/', (name) => ({ name, limit: 1 })) },
    { what: 'limit, changed', save: (name) => app.call('PATCH', `/v2/concurrency_limits/${limit}`, { name }) },
    { what: 'tag limit', save: post('/concurrency_limits/', (tag) => ({ tag, concurrency_limit: 1 })) },
    { what: 'automation', save: post('/automations/', (name) => ({ name, ...automation })) },
    { what: 'saved search', save: (name) => app.call('PUT', '/saved_searches/', { name }) },
    { what: 'block type', save: post('/block_types/', (name) => ({ name, slug: random(8) })), bytesMax: 1600 },
    { what: 'slug', save: post('/block_types/', (slug) => ({ name: random(8), slug })), ascii: true },
    {
      what: 'block',
      save: post('/block_documents/', (name) => ({ name, data: {}, block_type_id: type, block_schema_id: schema })),
      ascii: true,
    },
    { what: 'artifact', save: post('/artifacts/', (key) => ({ key, data: 1 })), ascii: true },
    { what: 'input', save: post(`/flow_runs/${flow_run_id}/input`, (key) => ({ key, value: '1' })), ascii: true },
  ]
}

eachDialect('names', (setup) => {
  test('have at most 1,000 characters and 2,500 bytes, on both databases with the same error', async () => {
    const app = await setup()
    for (const { what, save, ascii = false, bytesMax = 2500 } of await everythingWithAName(app)) {
      const refuses = async (name: string, message: string) => {
        const { status, body } = await save(name)
        expect([what, status]).toEqual([what, 422])
        expect(JSON.stringify(body)).toContain(message)
      }
      const accepts = async (name: string) => expect([what, (await save(name)).status]).toEqual([what, expect.toSatisfy((status) => status < 300)])
      await accepts(random(1000))
      await refuses(random(1001), 'String should have at most 1000 characters')
      await refuses('a'.repeat(100_000), 'String should have at most 1000 characters')
      if (ascii) continue
      await accepts(wide(Math.floor(bytesMax / 3)))
      await refuses(wide(Math.floor(bytesMax / 3) + 1), `String should have at most ${bytesMax} bytes`)
    }
  })

  test('of task runs that a client reports are cut', async () => {
    const app = await setup()
    const report = async (id: string, run: object) => {
      await sendEvent(app, 'prefect.task-run.Running', {
        resource: { 'prefect.resource.id': `prefect.task-run.${id}`, 'prefect.orchestration': 'client' },
        payload: { task_run: { task_key: 'k', dynamic_key: id, ...run }, validated_state: { type: 'RUNNING', name: `${random(2000)}` } },
      })
      return app.call('GET', `/task_runs/${id}`)
    }
    const long = random(1500)
    expect((await report(uuid(1), { name: long, tags: [long] })).body).toMatchObject({ name: long.slice(0, 1000), tags: [long.slice(0, 1000)] })
    expect((await report(uuid(2), { name: `${'a'.repeat(999)}🦦` })).body.name).toBe(`${'a'.repeat(999)}\ufffd`)
    const broad = wide(1000)
    expect((await report(uuid(3), { name: broad })).body.name).toBe(broad.slice(0, 833))
    expect((await report(uuid(4), { name: 'n', task_key: random(1001) })).status).toBe(404)
  })

  test('that an older server stored stay usable', async () => {
    const app = await setup()
    const name = 'a'.repeat(100_000)
    const { body: flow } = await app.call('POST', '/flows/', { name: 'flow' })
    const { body: run } = await app.call('POST', '/flow_runs/', { flow_id: flow.id, name: 'run' })
    await app.context.commands.submit((tx) => tx.kysely.updateTable('flow_run').set({ name }).where('id', '=', run.id).execute())
    expect((await app.call('PATCH', `/flow_runs/${run.id}`, { tags: ['t'] })).status).toBe(204)
    expect((await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })).status).toBe(201)
    expect((await app.call('GET', `/flow_runs/${run.id}`)).body).toMatchObject({ name, tags: ['t'], state_type: 'RUNNING' })
    expect((await app.call('POST', '/flow_runs/filter', { flow_runs: { name: { like_: 'aaa' } } })).body).toHaveLength(1)
  })

  test('are searched with at most 1,000 characters', async () => {
    const app = await setup()
    const search = (like_: string) => app.call('POST', '/flow_runs/filter', { flow_runs: { name: { like_ } } })
    expect((await search('a'.repeat(1000))).status).toBe(200)
    expect((await search('a'.repeat(1001))).status).toBe(422)
  })
})

import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const priorities = async (app: TestApp, pool: string) => {
  const { body } = await app.call('POST', `/work_pools/${pool}/queues/filter`, {})
  return Object.fromEntries(body.map((queue: { name: string; priority: number }) => [queue.name, queue.priority]))
}

const lastEvents = async (app: TestApp, resource: string) =>
  (await app.context.reads.kysely.selectFrom('event').selectAll().where('resource_id', '=', resource).orderBy('position').execute()).map((event) => ({
    event: event.event,
    payload: JSON.parse(event.payload),
    follows: event.follows,
    id: event.id,
  }))

eachDialect('work pools', (setup) => {
  test('are created with a default queue and emit both', async () => {
    const app = await setup()
    const { status, body } = await app.call('POST', '/work_pools/', { name: 'mill', type: 'process', concurrency_limit: 2 })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'NOT_READY',
      active_slots: 0,
      default_queue_id: expect.any(String),
      is_paused: false,
      base_job_template: {},
    })
    expect((await app.call('GET', '/work_pools/mill/queues/default')).body).toMatchObject({
      id: body.default_queue_id,
      priority: 1,
      status: 'NOT_READY',
    })
    expect(await app.eventNames()).toEqual(['prefect.work-queue.created', 'prefect.work-pool.created', 'prefect.work-pool.not-ready'])
  })

  test.each(['service-agent', 'prefect-agent'])(
    'pools of type %s show no status and are not changed by a pause; a worker that reports makes them ready',
    async (type) => {
      const app = await setup()
      await app.call('POST', '/work_pools/', { name: 'mill', type })
      await app.call('PATCH', '/work_pools/mill', { is_paused: true })
      await app.call('POST', '/work_pools/mill/workers/heartbeat', { name: 'ann' })
      expect((await app.call('GET', '/work_pools/mill')).body).toMatchObject({ status: null, is_paused: true })
      const expected = ['prefect.work-queue.created', 'prefect.work-pool.created', 'prefect.work-pool.not-ready', 'prefect.work-pool.ready']
      expect(await app.eventNames()).toEqual(expected)
    },
  )

  test('reject duplicate and reserved names', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill' })
    expect((await app.call('POST', '/work_pools/', { name: 'mill' })).status).toBe(409)
    expect((await app.call('POST', '/work_pools/', { name: 'PREFECT-own' })).status).toBe(403)
    expect((await app.call('DELETE', '/work_pools/prefect-own')).status).toBe(403)
    expect((await app.call('PATCH', '/work_pools/prefect-own', { description: 'x' })).status).toBe(403)
    expect((await app.call('PATCH', '/work_pools/prefect-own', { is_paused: true })).status).toBe(404)
    expect((await app.call('PATCH', '/work_pools/none', { is_paused: true })).status).toBe(404)
  })

  test('report an invalid template together with other errors, before a reserved name', async () => {
    const app = await setup()
    const body = { name: 'prefect-x', base_job_template: { variables: {} }, concurrency_limit: -1 }
    const { status, body: answer } = await app.call('POST', '/work_pools/', body)
    expect(status).toBe(422)
    expect(answer.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual(['concurrency_limit', 'base_job_template'])
  })

  test('are created once by concurrent requests for one name', async () => {
    const app = await setup()
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.call('POST', '/work_pools/', { name: 'mill' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect((await app.call('POST', '/work_queues/filter', {})).body).toHaveLength(1)
  })

  test('return the JSON that was sent', async () => {
    const app = await setup()
    const text = '{"job_configuration": {"n": 12345678901234567890, "x": "{{ x }}"}, "variables": {"properties": {"x": {"default": 1.0}}}}'
    await app.call(
      'POST',
      '/work_pools/',
      `{"name": "mill", "base_job_template": ${text}, "storage_configuration": {"bundle_upload_step": {"2": 1.50}}}`,
    )
    const { body } = await app.server.inject({ method: 'GET', url: '/work_pools/mill' })
    expect(body).toContain(text)
    expect(body).toContain('"bundle_upload_step":{"2": 1.50}')
  })

  test('reject a default that references a missing block', async () => {
    const app = await setup()
    const make = (block_document_id: unknown) => {
      const variables = { type: 'object', properties: { key: { type: 'object', default: { $ref: { block_document_id } } } } }
      return app.call('POST', '/work_pools/', { name: 'mill', type: 'process', base_job_template: { job_configuration: { a: 1 }, variables } })
    }
    expect((await make('00000000-0000-4000-8000-000000000000')).status).toBe(404)
    expect((await make('no id')).status).toBe(404)
    const block_type_id = (await app.call('POST', '/block_types/', { name: 'Crate', slug: 'crate' })).body.id
    const block_schema_id = (await app.call('POST', '/block_schemas/', { block_type_id, fields: {} })).body.id
    const { id } = (await app.call('POST', '/block_documents/', { name: 'a', data: {}, block_type_id, block_schema_id })).body
    expect((await make(id)).status).toBe(201)
  })

  test('emit changed fields, and a pause as a status that follows the last one', async () => {
    const app = await setup()
    const { id } = (await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })).body
    await app.call('PATCH', '/work_pools/mill', { description: 'new', concurrency_limit: 3, base_job_template: {} })
    await app.call('PATCH', '/work_pools/mill', { description: 'new' })
    await app.call('PATCH', '/work_pools/mill', { is_paused: true })
    await app.call('PATCH', '/work_pools/mill', { is_paused: false })
    app.clock.advance(601)
    await app.call('PATCH', '/work_pools/mill', { is_paused: true })
    const events = (await lastEvents(app, `prefect.work-pool.${id}`)).slice(2)
    expect(events.map(({ event }) => event.slice('prefect.work-pool.'.length))).toEqual(['updated', 'paused', 'not-ready', 'paused'])
    expect(events[0]!.payload).toEqual({
      updated_fields: ['description', 'concurrency_limit'],
      updates: { description: { from: null, to: 'new' }, concurrency_limit: { from: null, to: 3 } },
    })
    expect(events.slice(1).map(({ follows }) => follows)).toEqual([null, events[1]!.id, null])
  })

  test('are deleted with queues and workers but not with deployments and runs', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    await app.call('POST', '/work_pools/mill/workers/heartbeat', { name: 'ann' })
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, work_pool_name: 'mill', work_queue_name: 'side' })).body
      .id
    const run = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, {})).body.id
    expect((await app.call('DELETE', '/work_pools/mill')).status).toBe(204)
    expect((await app.eventNames()).slice(-3)).toEqual(['prefect.work-queue.deleted', 'prefect.work-queue.deleted', 'prefect.work-pool.deleted'])
    expect((await app.call('GET', `/deployments/${deployment}`)).body).toMatchObject({ work_queue_id: null, work_pool_name: null })
    expect((await app.call('GET', `/flow_runs/${run}`)).body).toMatchObject({ work_queue_id: null, work_queue_name: 'side', work_pool_name: null })
    expect(await app.context.reads.kysely.selectFrom('worker').selectAll().execute()).toEqual([])
  })
})

eachDialect('queues of a pool', (setup) => {
  test('get unique priorities', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill' })
    for (const body of [{ name: 'b' }, { name: 'urgent', priority: 1 }, { name: 'last', priority: 50 }, { name: 'c' }])
      await app.call('POST', '/work_pools/mill/queues', body)
    expect(await priorities(app, 'mill')).toEqual({ urgent: 1, default: 2, b: 3, c: 4, last: 50 })
    await app.call('PATCH', '/work_pools/mill/queues/c', { priority: 2 })
    expect(await priorities(app, 'mill')).toEqual({ urgent: 1, c: 2, default: 3, b: 4, last: 50 })
    await app.call('DELETE', '/work_pools/mill/queues/c')
    expect(await priorities(app, 'mill')).toEqual({ urgent: 1, default: 3, b: 4, last: 50 })
    expect((await app.call('POST', '/work_pools/mill/queues', { name: 'd' })).body.priority).toBe(2)
  })

  test('get unique priorities when created concurrently', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill' })
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => app.call('POST', '/work_pools/mill/queues', { name: `q${n % 10}` })))
    expect(made.filter(({ status }) => status === 409)).toHaveLength(2)
    expect(Object.values(await priorities(app, 'mill'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  test('cannot be deleted if they are the default', async () => {
    const app = await setup()
    const { default_queue_id } = (await app.call('POST', '/work_pools/', { name: 'mill' })).body
    expect((await app.call('DELETE', '/work_pools/mill/queues/default')).status).toBe(409)
    expect((await app.call('DELETE', `/work_queues/${default_queue_id}`)).status).toBe(409)
    expect((await app.call('GET', `/work_queues/${default_queue_id}`)).status).toBe(200)
  })

  test('are found by name prefix; an empty list matches all', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    await app.call('POST', '/work_pools/mill/queues', { name: 'Deep' })
    const found = async (name: object) =>
      (await app.call('POST', '/work_pools/mill/queues/filter', { work_queues: { name } })).body.map((queue: { name: string }) => queue.name)
    expect(await found({ startswith_: ['de'] })).toEqual(['default', 'Deep'])
    expect(await found({ startswith_: ['dee', 'x'] })).toEqual(['Deep'])
    expect(await found({ startswith_: [] })).toEqual(['default', 'Deep'])
    expect(await found({ any_: [] })).toEqual([])
  })

  test('cannot take the name of another queue', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill' })
    await app.call('POST', '/work_pools/mill/queues', { name: 'side' })
    expect((await app.call('POST', '/work_pools/mill/queues', { name: 'side' })).status).toBe(409)
    expect((await app.call('PATCH', '/work_pools/mill/queues/side', { name: 'default' })).status).toBe(409)
    expect((await app.call('PATCH', '/work_pools/mill/queues/side', { name: 'side' })).status).toBe(204)
  })
})

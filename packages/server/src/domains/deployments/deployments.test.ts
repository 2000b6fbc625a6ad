import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const missingId = '00000000-0000-4000-8000-000000000000'

async function createFlow(app: TestApp, body: object = {}): Promise<string> {
  return (await app.call('POST', '/flows/', { name: 'a flow', ...body })).body.id
}

const create = (app: TestApp, flow_id: string, body: object = {}) => app.call('POST', '/deployments/', { name: 'd', flow_id, ...body })
const limits = async (app: TestApp) =>
  (await app.context.reads.kysely.selectFrom('concurrency_limit').select(['name', 'slots']).orderBy('name').execute()).map(({ name, slots }) => [
    name,
    slots,
  ])

eachDialect('deployments', (setup) => {
  test('are updated by a second create, which replaces schedules, parameters and labels only', async () => {
    const app = await setup()
    const flow = await createFlow(app, { labels: { team: 'water' } })
    const first = await create(app, flow, {
      version: '1',
      tags: ['x'],
      parameters: { a: 1 },
      labels: { own: 1 },
      schedules: [{ schedule: { interval: 60 } }],
    })
    expect(first).toMatchObject({ status: 201, body: { labels: { team: 'water', 'prefect.flow.id': flow, own: 1 }, schedules: { length: 1 } } })
    app.clock.advance(1)
    const second = await create(app, flow, { version: '2' })
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, version: '2', tags: ['x'], parameters: {}, schedules: [] } })
    expect(second.body.labels).toEqual({ team: 'water', 'prefect.flow.id': flow })
    expect(await app.eventNames()).toEqual(['prefect.flow.created', 'prefect.deployment.created', 'prefect.deployment.updated'])
  })

  test('emit the changed fields, and no event without a change', async () => {
    const app = await setup()
    const { id } = (await create(app, await createFlow(app), { tags: ['a'], parameters: { n: 12 } })).body
    await app.call('PATCH', `/deployments/${id}`, { tags: ['a'], parameters: { n: 12 } })
    await app.call('PATCH', `/deployments/${id}`, { tags: ['b'], description: 'text', job_variables: { x: 1 }, paused: true })
    await app.call('POST', `/deployments/${id}/resume_deployment`)
    await app.call('DELETE', `/deployments/${id}`)
    const events = await app.context.reads.kysely
      .selectFrom('event')
      .select(['event', 'payload'])
      .where('event', 'like', 'prefect.deployment%')
      .orderBy('position')
      .execute()
    expect(events.map(({ event }) => event)).toEqual(['prefect.deployment.created', 'prefect.deployment.updated', 'prefect.deployment.deleted'])
    expect(JSON.parse(events[1]?.payload as string)).toEqual({
      updated_fields: ['description', 'tags', 'infra_overrides', 'paused'],
      updates: {
        description: { from: null, to: 'text' },
        tags: { from: ['a'], to: ['b'] },
        infra_overrides: { from: {}, to: { x: 1 } },
        paused: { from: false, to: true },
      },
    })
  })

  test('return the JSON that was sent', async () => {
    const app = await setup()
    const flow = await createFlow(app)
    const response = await app.server.inject({
      method: 'POST',
      url: '/deployments/',
      headers: { 'content-type': 'application/json' },
      payload: `{"name":"d","flow_id":"${flow}","parameters":{"big":12345678901234567890,"one":1.0},"job_variables":{"b":2,"a":1.50}}`,
    })
    expect(response.body).toContain('"parameters":{"big":12345678901234567890,"one":1.0}')
    const run = await app.server.inject({
      method: 'POST',
      url: `/deployments/${response.json().id}/create_flow_run`,
      headers: { 'content-type': 'application/json' },
      payload: '{"parameters":{"two":2.0}}',
    })
    expect(run.body).toContain('"parameters":{"big":12345678901234567890,"one":1.0,"two":2.0}')
  })

  test.each([
    ['a slash in the name', { name: 'a/b' }, 422],
    ['two limits', { concurrency_limit: 1, global_concurrency_limit_id: missingId }, 422],
    ['an unknown flow', { flow_id: missingId }, 409],
    ['an unknown pool', { work_pool_name: 'none' }, 404],
    ['an unknown limit', { global_concurrency_limit_id: missingId }, 404],
    ['a schedule that cannot be read', { schedules: [{ schedule: { cron: '61 * * * *' } }] }, 422],
    ['more runs ahead than are planned', { schedules: [{ schedule: { interval: 60 }, max_scheduled_runs: 51 }] }, 422],
    [
      'a slug used twice',
      {
        schedules: [
          { schedule: { interval: 60 }, slug: 's' },
          { schedule: { interval: 90 }, slug: 's' },
        ],
      },
      409,
    ],
    ['parameters without end', { parameters: { text: 'x'.repeat(600_000) } }, 422],
  ])('%s is refused and leaves nothing behind', async (_name, body, status) => {
    const app = await setup()
    expect((await create(app, await createFlow(app), body)).status).toBe(status)
    expect((await app.call('POST', '/deployments/count', {})).body).toBe(0)
    expect(await limits(app)).toEqual([])
  })

  test('report invalid schedules together with other field errors', async () => {
    const app = await setup()
    const flow = await createFlow(app)
    const faultLocations = async (body: object) =>
      (await create(app, flow, body)).body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(1).join('.'))
    const schedules = [{ schedule: { cron: 'never' } }, 5, { schedule: { interval: 60 }, max_scheduled_runs: 101 }]
    expect(await faultLocations({ version: 5, schedules })).toEqual([
      'schedules.1',
      'version',
      'schedules.0.schedule',
      'schedules.2.max_scheduled_runs',
    ])
    expect(await faultLocations({ version: 5, concurrency_limit: 1, global_concurrency_limit_id: 'x' })).toEqual([''])
    const schema = { properties: { n: { type: 'integer' } } }
    expect(await faultLocations({ version: 5, enforce_parameter_schema: true, parameter_openapi_schema: schema, parameters: { n: 'x' } })).toEqual([
      '',
    ])
    expect(await faultLocations({ version: 5, enforce_parameter_schema: true, parameter_openapi_schema: 'x' })).toEqual([''])
    expect(await faultLocations({ version: 5, enforce_parameter_schema: true, parameter_openapi_schema: true })).toEqual([
      'parameter_openapi_schema',
      'version',
    ])
  })

  test('create, change and remove their own limit', async () => {
    const app = await setup()
    const { id, global_concurrency_limit: limit } = (await create(app, await createFlow(app), { concurrency_limit: 2 })).body
    expect(limit).toMatchObject({ name: `deployment:${id}`, limit: 2, active_slots: 0 })
    await app.call('PATCH', `/deployments/${id}`, { concurrency_limit: 5 })
    expect((await app.call('GET', `/deployments/${id}`)).body).toMatchObject({
      concurrency_limit: null,
      global_concurrency_limit: { id: limit.id, limit: 5 },
    })
    await app.call('PATCH', `/deployments/${id}`, { concurrency_limit: null })
    expect(await limits(app)).toEqual([])
    await app.call('PATCH', `/deployments/${id}`, { concurrency_limit: 1 })
    await app.call('DELETE', `/deployments/${id}`)
    expect(await limits(app)).toEqual([])
  })

  test('detach a shared limit without changing it', async () => {
    const app = await setup()
    const shared = (await app.call('POST', '/v2/concurrency_limits/', { name: 'shared', limit: 5 })).body.id
    const { id } = (await create(app, await createFlow(app), { global_concurrency_limit_id: shared })).body
    await app.call('PATCH', `/deployments/${id}`, { concurrency_limit: 2 })
    expect(await limits(app)).toEqual([
      [`deployment:${id}`, 2],
      ['shared', 5],
    ])
    await app.call('PATCH', `/deployments/${id}`, { global_concurrency_limit_id: shared })
    await app.call('PATCH', `/deployments/${id}`, { concurrency_limit: null })
    expect((await app.call('GET', `/deployments/${id}`)).body.global_concurrency_limit).toBeNull()
    await app.call('PATCH', `/deployments/${id}`, { global_concurrency_limit_id: shared })
    await app.call('DELETE', `/deployments/${id}`)
    expect(await limits(app)).toEqual([['shared', 5]])
  })

  test('reject job variables that do not match the pool template', async () => {
    const app = await setup()
    const flow = await createFlow(app)
    const properties = { image: { type: 'string' }, cpu: { type: 'integer', default: 1 } }
    const base_job_template = {
      job_configuration: { image: '{{ image }}', cpu: '{{ cpu }}' },
      variables: { type: 'object', required: ['image'], properties },
    }
    expect((await app.call('POST', '/work_pools/', { name: 'p', type: 'process', base_job_template })).status).toBe(201)
    expect((await create(app, flow, { work_pool_name: 'p', job_variables: { cpu: 'two' } })).status).toBe(422)
    const made = await create(app, flow, { work_pool_name: 'p', job_variables: { cpu: 2 } })
    expect(made).toMatchObject({ status: 201, body: { work_queue_name: 'default', work_pool_name: 'p' } })
    const run = (body: object) => app.call('POST', `/deployments/${made.body.id}/create_flow_run`, body)
    expect((await run({})).status).toBe(422)
    expect((await run({ job_variables: { image: 5 } })).status).toBe(422)
    expect(await run({ job_variables: { image: 'x' } })).toMatchObject({ status: 201, body: { job_variables: { image: 'x' } } })
    expect((await app.call('PATCH', `/deployments/${made.body.id}`, { work_pool_name: 'p', job_variables: { cpu: 'two' } })).status).toBe(409)
  })

  test('move between queues and out of their pool', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'p', type: 'process' })
    const { id } = (await create(app, await createFlow(app), { work_pool_name: 'p' })).body
    const read = async () => (await app.call('GET', `/deployments/${id}`)).body
    await app.call('PATCH', `/deployments/${id}`, { work_pool_name: 'p', work_queue_name: 'fresh' })
    expect(await read()).toMatchObject({ work_queue_name: 'fresh', work_pool_name: 'p' })
    await app.call('PATCH', `/deployments/${id}`, { work_pool_name: null })
    expect(await read()).toMatchObject({ work_queue_name: 'fresh', work_queue_id: null, work_pool_name: null })
    await app.call('PATCH', `/deployments/${id}`, { work_queue_name: 'alone' })
    expect(await read()).toMatchObject({ work_queue_name: 'alone' })
    expect((await app.call('PATCH', `/deployments/${id}`, { work_pool_name: 'none' })).status).toBe(404)
  })

  test('do not create a queue with an unreachable name', async () => {
    const app = await setup()
    const flow = await createFlow(app)
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    const refused = { status: 422, body: { detail: [{ loc: ['body', 'work_queue_name'] }] } }
    expect(await create(app, flow, { work_pool_name: 'mill', work_queue_name: 'a/b' })).toMatchObject(refused)
    expect(await create(app, flow, { work_queue_name: '5%' })).toMatchObject(refused)
    const { id } = (await create(app, flow, { work_pool_name: 'mill' })).body
    expect(await app.call('PATCH', `/deployments/${id}`, { work_pool_name: 'mill', work_queue_name: 'a&b' })).toMatchObject(refused)
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, { work_queue_name: '<a>' })).toMatchObject(refused)
    expect((await app.call('POST', '/work_pools/mill/queues/filter', {})).body).toHaveLength(1)
  })

  test('reject null for enforce_parameter_schema', async () => {
    const app = await setup()
    const { id } = (await create(app, await createFlow(app))).body
    expect((await app.call('PATCH', `/deployments/${id}`, { enforce_parameter_schema: null })).status).toBe(409)
    expect((await app.call('PATCH', `/deployments/${id}`, { enforce_parameter_schema: false })).status).toBe(204)
  })

  test('are deleted in bulk with their runs that have not started', async () => {
    const app = await setup()
    const flow = await createFlow(app)
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push((await create(app, flow, { name })).body.id)
    for (const id of ids) await app.call('POST', `/deployments/${id}/create_flow_run`, {})
    await app.call('POST', `/deployments/${ids[0]}/create_flow_run`, { state: { type: 'RUNNING' } })
    expect((await app.call('POST', '/deployments/bulk_delete', { deployments: { name: { any_: ['a', 'b'] } } })).body.deleted.sort()).toEqual(
      ids.slice(0, 2).sort(),
    )
    const left = (await app.call('POST', '/flow_runs/filter', { sort: 'NAME_ASC' })).body
    expect(left.map((run: { deployment_id: string; state_type: string }) => [run.deployment_id, run.state_type]).sort()).toEqual(
      [
        [ids[0], 'RUNNING'],
        [ids[2], 'SCHEDULED'],
      ].sort(),
    )
  })

  test('list queues with a matching filter and without a filter (deprecated)', async () => {
    const app = await setup()
    const { id } = (await create(app, await createFlow(app), { tags: ['t', 'u'] })).body
    for (const [name, filter] of [
      ['all', {}],
      ['tagged', { tags: ['t'] }],
      ['other', { tags: ['v'] }],
      ['named', { deployment_ids: [id] }],
      ['foreign', { deployment_ids: [missingId] }],
    ] as const) {
      await app.call('POST', '/work_queues/', { name, filter })
    }
    await app.call('POST', '/work_queues/', { name: 'plain' })
    const found = (await app.call('GET', `/deployments/${id}/work_queue_check`)).body
    expect(found.map(({ name }: { name: string }) => name).sort()).toEqual(['all', 'default', 'named', 'plain', 'tagged'])
  })
})

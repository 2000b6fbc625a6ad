import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

async function createDeployment(app: TestApp, body: object = {}): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  return (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, ...body })).body.id
}

const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

eachDialect('POST /deployments/:id/create_flow_run', (setup) => {
  test('merges the fields of the deployment and the request', async () => {
    const app = await setup()
    const id = await createDeployment(app, { version: '3', tags: ['d'], labels: { n: 1 }, parameters: { a: 1, b: 2 } })
    const run = await app.call('POST', `/deployments/${id}/create_flow_run`, {
      parameters: { b: 3 },
      tags: ['r', 'd'],
      labels: { n: 2 },
      idempotency_key: 'k',
    })
    expect(run).toMatchObject({
      status: 201,
      body: {
        deployment_version: '3',
        parameters: { a: 1, b: 3 },
        tags: ['d', 'r'],
        labels: { n: 2, 'prefect.deployment.id': id },
        state_type: 'SCHEDULED',
        auto_scheduled: false,
      },
    })
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, { idempotency_key: 'k' })).toMatchObject({
      status: 200,
      body: { id: run.body.id },
    })
    expect((await app.eventNames()).at(-1)).toBe('prefect.flow-run.Scheduled')
  })

  test('rejects an unknown infrastructure document', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    const nobody = { infrastructure_document_id: '00000000-0000-4000-8000-000000000000' }
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, nobody)).toMatchObject({ status: 409, body: { code: 'UNKNOWN_REFERENCE' } })
    const { flow_id } = (await app.call('GET', `/deployments/${id}`)).body
    expect((await app.call('POST', '/flow_runs/', { flow_id, ...nobody })).status).toBe(409)
    const types = (await app.call('POST', '/block_types/', { name: 'Crate', slug: 'crate' })).body.id
    const schemas = (await app.call('POST', '/block_schemas/', { block_type_id: types, fields: {} })).body.id
    const document = (await app.call('POST', '/block_documents/', { name: 'a', data: {}, block_type_id: types, block_schema_id: schemas })).body.id
    const known = { infrastructure_document_id: document }
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, known)).toMatchObject({ status: 201, body: known })
  })

  test('checks the parameters against the schema unless the request disables it', async () => {
    const app = await setup()
    const id = await createDeployment(app, { parameter_openapi_schema: schema, enforce_parameter_schema: true })
    const run = (body: object) => app.call('POST', `/deployments/${id}/create_flow_run`, body)
    expect(await run({})).toMatchObject({ status: 409, body: { detail: expect.stringContaining("'n'") } })
    expect(await run({ parameters: { n: 'x' } })).toMatchObject({ status: 409, body: { detail: expect.stringContaining('"n"') } })
    expect((await run({ parameters: { n: 1 } })).status).toBe(201)
    expect((await run({ parameters: { n: 'x' }, enforce_parameter_schema: false })).status).toBe(201)
  })

  test('replaces placeholders', async () => {
    const app = await setup()
    await app.call('POST', '/variables/', { name: 'answer', value: 42 })
    const id = await createDeployment(app, { parameters: { v: { __prefect_kind: 'workspace_variable', variable_name: 'answer' } } })
    const run = (body: object) => app.call('POST', `/deployments/${id}/create_flow_run`, body)
    expect((await run({ parameters: { j: { __prefect_kind: 'json', value: '[1]' } } })).body.parameters).toEqual({ v: 42, j: [1] })
    expect((await run({ parameters: { j: { __prefect_kind: 'json', value: '{' } } })).status).toBe(400)
    expect((await run({ parameters: { v: { __prefect_kind: 'workspace_variable', variable_name: 'nobody' } } })).status).toBe(400)
    const template = (text: string) => run({ parameters: { t: { __prefect_kind: 'jinja', template: text } } })
    expect((await template('{{ 1 + 2 }} {{ "a" | upper }}')).body.parameters).toMatchObject({ t: '3 A' })
    expect((await template('{{ 1 +')).status).toBe(400)
    await app.call('PATCH', `/deployments/${id}`, { parameters: { k: { __prefect_kind: 'json', value: '{"x": 1}' } } })
    expect((await app.call('GET', `/deployments/${id}`)).body.parameters).toEqual({ k: { x: 1 } })
  })

  test('creates the work queue if the deployment has a pool', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'p', type: 'process' })
    const inPool = await createDeployment(app, { work_pool_name: 'p' })
    const without = await createDeployment(app, { name: 'other' })
    expect((await app.call('POST', `/deployments/${inPool}/create_flow_run`, { work_queue_name: 'new' })).body).toMatchObject({
      work_queue_name: 'new',
      work_pool_name: 'p',
    })
    expect((await app.call('POST', `/deployments/${inPool}/create_flow_run`, {})).body).toMatchObject({
      work_queue_name: 'default',
      work_pool_name: 'p',
    })
    expect((await app.call('POST', `/deployments/${without}/create_flow_run`, { work_queue_name: 'new' })).status).toBe(400)
  })

  test('creates many runs, each succeeding or failing on its own', async () => {
    const app = await setup()
    const id = await createDeployment(app, { parameter_openapi_schema: schema, parameters: { n: 1 }, enforce_parameter_schema: true })
    const bulk = (body: object[]) => app.call('POST', `/deployments/${id}/create_flow_run/bulk`, body)
    const { body } = await bulk([
      { name: 'one' },
      { name: 'bad', parameters: { n: 'x' } },
      { name: 'two' },
      { name: 'lost', parent_task_run_id: '00000000-0000-4000-8000-000000000000' },
    ])
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['CREATED', 'FAILED', 'CREATED', 'FAILED'])
    expect(body.results[1].error).toContain('"n"')
    const runs = (await app.call('POST', '/flow_runs/filter', { sort: 'NAME_ASC' })).body
    expect(runs.map(({ name }: { name: string }) => name)).toEqual(['one', 'two'])
    expect((await bulk(Array.from({ length: 101 }, () => ({})))).status).toBe(400)
    expect((await app.call('POST', `/deployments/00000000-0000-4000-8000-000000000000/create_flow_run/bulk`, [])).status).toBe(404)
  })

  test('combines concurrent requests in one transaction', async () => {
    const app = await setup()
    const id = await createDeployment(app)
    const answers = await Promise.all(
      [1, 2, 3].map((n) => app.call('POST', `/deployments/${n === 2 ? '00000000-0000-4000-8000-000000000000' : id}/create_flow_run`, {})),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 404, 201])
  })

  test('checks against the current deployment despite the cache', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'changing' })).body.id
    const asks = (type: string) => ({ parameter_openapi_schema: { properties: { n: { type } } }, enforce_parameter_schema: true })
    const { id } = (await app.call('POST', '/deployments/', { name: 'changing', flow_id, ...asks('integer') })).body
    const run = async (n: unknown) => (await app.call('POST', `/deployments/${id}/create_flow_run`, { parameters: { n } })).status
    expect([await run(1), await run('x')]).toEqual([201, 409])
    await app.call('PATCH', `/deployments/${id}`, asks('string'))
    // The cached check fails and the current one passes; then the other way round.
    expect([await run('x'), await run(1)]).toEqual([201, 409])
    await app.call('PATCH', `/deployments/${id}`, asks('integer'))
    expect([await run('x'), await run(1)]).toEqual([409, 201])
    await app.call('PATCH', `/deployments/${id}`, { ...asks('integer'), parameters: { n: 7 } })
    expect((await app.call('POST', `/deployments/${id}/create_flow_run`, {})).body.parameters).toEqual({ n: 7 })
    await app.call('PATCH', `/deployments/${id}`, { enforce_parameter_schema: false })
    expect(await run('x')).toBe(201)
    await app.call('DELETE', `/deployments/${id}`)
    expect([await run(1), await run('x')]).toEqual([404, 404])
  })
})

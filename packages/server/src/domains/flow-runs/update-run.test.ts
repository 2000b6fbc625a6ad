import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const base_job_template = {
  job_configuration: { image: '{{ image }}' },
  variables: { type: 'object', properties: { image: { type: 'string' }, cpu: { type: 'integer' } }, required: ['image'] },
}

async function createDeployment(app: TestApp, body: object = {}): Promise<string> {
  const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  await app.call('POST', '/work_pools/', { name: 'mill', type: 'process', base_job_template })
  return (await app.call('POST', '/deployments/', { name: 'd', flow_id, work_pool_name: 'mill', ...body })).body.id
}

eachDialect('job variables of a flow run', (setup) => {
  test('are checked together with those of the deployment against the pool template', async () => {
    const app = await setup()
    const deployment = await createDeployment(app, { job_variables: { image: 'a' } })
    const { id } = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, {})).body
    const change = async (job_variables: object) => (await app.call('PATCH', `/flow_runs/${id}`, { job_variables })).status
    expect(await change({ image: 3 })).toBe(422)
    expect(await change({ cpu: 'many' })).toBe(422)
    expect(await change({ cpu: 2 })).toBe(204)
    expect((await app.call('GET', `/flow_runs/${id}`)).body.job_variables).toEqual({ cpu: 2 })
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } })
    expect(await change({ cpu: 3 })).toBe(400)
  })

  test('cannot be changed without a deployment or after its deletion', async () => {
    const app = await setup()
    const deployment = await createDeployment(app, { job_variables: { image: 'a' } })
    const { flow_id } = (await app.call('GET', `/deployments/${deployment}`)).body
    for (const body of [{}, { deployment_id: '00000000-0000-4000-8000-000000000000' }]) {
      const { id } = (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'SCHEDULED' }, ...body })).body
      expect((await app.call('PATCH', `/flow_runs/${id}`, { job_variables: { cpu: 1 } })).status).toBe(400)
    }
  })

  test('are null if set to null, and for a run with an idempotency key and no job variables', async () => {
    const app = await setup()
    const deployment = await createDeployment(app, { job_variables: { image: 'a' } })
    const { flow_id } = (await app.call('GET', `/deployments/${deployment}`)).body
    const made = async (path: string, body: object) => (await app.call('POST', path, body)).body.job_variables
    expect(await made('/flow_runs/', { flow_id })).toEqual({})
    expect(await made('/flow_runs/', { flow_id, idempotency_key: 'a' })).toBeNull()
    expect(await made('/flow_runs/', { flow_id, idempotency_key: 'b', job_variables: {} })).toEqual({})
    expect(await made(`/deployments/${deployment}/create_flow_run`, { idempotency_key: 'c' })).toEqual({})
    expect(await made(`/deployments/${deployment}/create_flow_run`, { idempotency_key: 'd', job_variables: null })).toBeNull()
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, job_variables: { cpu: 1 } })).body
    await app.call('PATCH', `/flow_runs/${id}`, { job_variables: null })
    expect((await app.call('GET', `/flow_runs/${id}`)).body.job_variables).toBeNull()
  })
})

eachDialect('parameters of a flow run', (setup) => {
  test('have a maximum size in every request', async () => {
    const app = await setup({ env: { MILLRACE_SERVER_API_MAXIMUM_PARAMETER_BYTES: '20' } })
    const [fits, large] = [{ a: 'x'.repeat(12) }, { a: 'x'.repeat(13) }]
    const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
    const deployment = (await app.call('POST', '/deployments/', { name: 'd', flow_id })).body.id
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, parameters: fits })).body
    const requests: [string, string, object, number][] = [
      ['POST', '/flow_runs/', { flow_id }, 201],
      ['PATCH', `/flow_runs/${id}`, {}, 204],
      ['POST', `/deployments/${deployment}/create_flow_run`, {}, 201],
    ]
    for (const [method, path, body, status] of requests) {
      expect((await app.call(method, path, { ...body, parameters: fits })).status, path).toBe(status)
      const refused = await app.call(method, path, { ...body, parameters: large })
      expect(refused, path).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'parameters'] }] } })
    }
    expect((await app.call('GET', `/flow_runs/${id}`)).body.parameters).toEqual(fits)
  })
})

eachDialect('tags of a flow run', (setup) => {
  test('may repeat', async () => {
    const { call } = await setup()
    const flow_id = (await call('POST', '/flows/', { name: 'a flow' })).body.id
    const { id } = (await call('POST', '/flow_runs/', { flow_id, tags: ['a', 'a'] })).body
    expect((await call('PATCH', `/flow_runs/${id}`, { tags: ['b', 'b', 'c'] })).status).toBe(204)
    expect((await call('GET', `/flow_runs/${id}`)).body.tags).toEqual(['b', 'b', 'c'])
    const found = await call('POST', '/flow_runs/filter', { flow_runs: { tags: { all_: ['b', 'c'] } } })
    expect(found.body.map((run: { id: string }) => run.id)).toEqual([id])
  })

  test('are replaced together with the times of a transition that arrives with the change', async () => {
    const { call, context } = await setup()
    const flow_id = (await call('POST', '/flows/', { name: 'a flow' })).body.id
    const { id } = (await call('POST', '/flow_runs/', { flow_id, tags: ['a', 'b'] })).body
    const answers = await Promise.all([
      call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } }),
      call('PATCH', `/flow_runs/${id}`, { tags: ['b', 'c', 'c'] }),
      call('PATCH', `/flow_runs/${id}`, { name: 'renamed' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 204, 204])
    const stored = await context.reads.kysely
      .selectFrom('flow_run_tag')
      .select(['tag', 'started'])
      .where('flow_run_id', '=', id)
      .orderBy('tag')
      .execute()
    const run = await context.reads.kysely.selectFrom('flow_run').select(['name', 'start_time']).where('id', '=', id).executeTakeFirst()
    expect(run).toMatchObject({ name: 'renamed', start_time: expect.any(Number) })
    expect(stored).toEqual(['b', 'c'].map((tag) => ({ tag, started: run?.start_time })))
    expect((await call('PATCH', `/flow_runs/${id}`, { tags: [] })).status).toBe(204)
    expect(await context.reads.kysely.selectFrom('flow_run_tag').selectAll().execute()).toEqual([])
  })
})

eachDialect('labels of a flow run', (setup) => {
  test('are merged by requests that arrive together, and reach task runs that arrive with them', async () => {
    const { call } = await setup()
    const flow_id = (await call('POST', '/flows/', { name: 'a flow' })).body.id
    const { id } = (await call('POST', '/flow_runs/', { flow_id, labels: { own: 1 } })).body
    const change = (labels: object) => call('PATCH', `/flow_runs/${id}/labels`, labels)
    const answers = await Promise.all([change({ a: 1, b: 1 }), change({ b: 2 }), change({ own: 'x' })])
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
    expect((await call('GET', `/flow_runs/${id}`)).body.labels).toEqual({ own: 'x', 'prefect.flow.id': flow_id, a: 1, b: 2 })
    const [, task] = await Promise.all([change({ late: true }), call('POST', '/task_runs/', { flow_run_id: id, task_key: 't', dynamic_key: '1' })])
    expect(task.body.labels).toMatchObject({ own: 'x', b: 2, late: true })
  })

  test('cannot be given to a run that does not exist', async () => {
    const { call } = await setup()
    expect((await call('PATCH', '/flow_runs/00000000-0000-4000-8000-000000000000/labels', { a: 1 })).status).toBe(404)
    expect((await call('PATCH', '/flow_runs/00000000-0000-4000-8000-000000000000', { name: 'a' })).status).toBe(404)
    expect((await call('PATCH', '/task_runs/00000000-0000-4000-8000-000000000000', { name: 'a' })).status).toBe(404)
  })
})

import { expect, test } from 'vitest'
import { startEventLoopProbe } from './event-loop-probe.ts'
import { eachDialect, type Setup, type TestApp } from './setup.ts'

/** The pattern backtracks for hours on the value below. */
const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
const value = { a: `${'a'.repeat(60)}!` }
const env = { MILLRACE_SERVER_SCHEMAS_TIMEOUT_SECONDS: '0.3' }
const tooLong = { status: 422, body: { detail: [{ msg: expect.stringContaining('The schema took longer than 0.3 s to check') }] } }

const createFlow = async (app: TestApp): Promise<string> => (await app.call('POST', '/flows/', { name: 'flow' })).body.id
const createPool = (app: TestApp, variables: object) =>
  app.call('POST', '/work_pools/', { name: 'pool', type: 'process', base_job_template: { job_configuration: { a: '{{ a }}' }, variables } })
const createDeployment = async (app: TestApp, body: object) =>
  (await app.call('POST', '/deployments/', { name: 'd', flow_id: await createFlow(app), ...body })).body

eachDialect('a schema that takes too long to check', (setup) => {
  test('is rejected for one run and for runs in bulk while other writes continue', async () => {
    const app = await setup({ env })
    const { id } = await createDeployment(app, { parameter_openapi_schema: schema, enforce_parameter_schema: true })
    const order: string[] = []
    const run = app.call('POST', `/deployments/${id}/create_flow_run`, { parameters: value }).then((answer) => {
      order.push('run')
      return answer
    })
    await app.call('POST', '/flows/', { name: 'another' })
    order.push('flow')
    expect(await run).toMatchObject(tooLong)
    expect(order).toEqual(['flow', 'run'])
    expect((await app.call('POST', `/deployments/${id}/create_flow_run`, { parameters: { a: 'aaa' } })).status).toBe(201)

    const bulk = [{ a: 'a' }, { a: `${value.a}!` }, { a: 'aa' }].map((parameters) => ({ parameters }))
    const { body } = await app.call('POST', `/deployments/${id}/create_flow_run/bulk`, bulk)
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['CREATED', 'FAILED', 'FAILED'])
    expect(body.results[1].error).toContain('took longer than 0.3 s')
  })
})

/** Checks run before any statement, so one database is enough. Each one that times out keeps a core busy. */
const suiteOfCallSites = (setup: Setup) => {
  test('is rejected for form values without blocking the event loop', async () => {
    const app = await setup({ env })
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }))
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string' }]))
    const attacks = [
      { schema, values: value },
      { schema: { properties: { a: { uniqueItems: true } } }, values: { a: items } },
      { schema: { properties: wide }, values: {} },
    ]
    const probe = startEventLoopProbe()
    for (const attack of attacks) expect(await app.call('POST', '/ui/schemas/validate', attack)).toMatchObject(tooLong)
    expect(probe.stop()).toBeLessThan(50)
  })

  test('is rejected for parameters and job variables of deployments, runs and automations', async () => {
    const app = await setup({ env })
    const flow_id = await createFlow(app)
    const enforced = { parameter_openapi_schema: schema, enforce_parameter_schema: true, parameters: value }
    expect(await app.call('POST', '/deployments/', { name: 'x', flow_id, ...enforced })).toMatchObject(tooLong)
    expect((await createPool(app, schema)).status).toBe(201)
    const work_pool_name = 'pool'
    const salted = (salt: string) => ({ a: `${value.a}${salt}` })
    expect(await app.call('POST', '/deployments/', { name: 'x', flow_id, work_pool_name, job_variables: value })).toMatchObject(tooLong)
    const { id } = await createDeployment(app, { work_pool_name, parameter_openapi_schema: schema })
    expect(await app.call('PATCH', `/deployments/${id}`, { parameters: value })).toMatchObject(tooLong)
    expect(await app.call('PATCH', `/deployments/${id}`, { work_pool_name, job_variables: salted('1') })).toMatchObject(tooLong)
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, { job_variables: salted('2') })).toMatchObject(tooLong)
    const { body: run } = await app.call('POST', `/deployments/${id}/create_flow_run`, {})
    expect(await app.call('PATCH', `/flow_runs/${run.id}`, { job_variables: salted('3') })).toMatchObject(tooLong)
    const trigger = { type: 'event', posture: 'Reactive', threshold: 1, within: 0, expect: ['x'] }
    const actions = [{ type: 'run-deployment', source: 'selected', deployment_id: id, job_variables: salted('4') }]
    expect(await app.call('POST', '/automations/', { name: 'a', trigger, actions })).toMatchObject(tooLong)
  })

  test('is rejected for the input of a paused run and for the defaults of a pool', async () => {
    const app = await setup({ env })
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id: await createFlow(app), state: { type: 'RUNNING' } })).body
    const state_details = { run_input_keyset: { schema: 's', response: 'r' } }
    await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PAUSED', state_details } })
    await app.call('POST', `/flow_runs/${id}/input`, { key: 's', value: JSON.stringify(schema) })
    expect(await app.call('POST', `/flow_runs/${id}/resume`, { run_input: value })).toMatchObject(tooLong)
    expect((await app.call('POST', `/flow_runs/${id}/resume`, { run_input: { a: 'aaa' } })).status).toBe(201)

    expect(await createPool(app, { properties: { a: { pattern: '^(a+)+$', default: value.a } } })).toMatchObject(tooLong)
  })

  test('rejects a schema above the size limit and names the setting', async () => {
    const app = await setup({ env: { MILLRACE_SERVER_SCHEMAS_SCHEMA_LIMIT_BYTES: '1000' } })
    const large = { ...schema, title: 'x'.repeat(1000) }
    const refused = { status: 422, body: { detail: [{ msg: expect.stringContaining('server.schemas.schema_limit_bytes') }] } }
    expect(await app.call('POST', '/ui/schemas/validate', { schema: large, values: {} })).toMatchObject(refused)
    const { id } = await createDeployment(app, { parameter_openapi_schema: large })
    expect(await app.call('POST', `/deployments/${id}/create_flow_run`, {})).toMatchObject(refused)
  })
}
eachDialect('a schema that exceeds a limit', suiteOfCallSites, ['sqlite'])

eachDialect(
  'the $id of a schema',
  (setup) => {
    test('does not replace the metaschema of other schemas', async () => {
      const app = await setup()
      const flow_id = await createFlow(app)
      const metaschema = 'https://json-schema.org/draft/2020-12/schema'
      const attacks = [
        // The dangling reference makes the checker compile the schema a second time.
        { $id: metaschema, type: 'object', properties: { a: { $ref: '#/definitions/None' } } },
        { type: 'object', $defs: { a: { $id: metaschema }, b: { $id: 'https://json-schema.org/draft/2020-12/meta/core' } } },
      ]
      for (const attack of attacks) {
        await app.call('POST', '/ui/schemas/validate', { schema: attack, values: {} })
        await app.call('POST', '/deployments/', { name: 'attack', flow_id, parameter_openapi_schema: attack, enforce_parameter_schema: true })
      }
      const good = { name: 'good', flow_id, parameter_openapi_schema: { properties: { n: { type: 'integer' } } }, enforce_parameter_schema: true }
      expect((await app.call('POST', '/deployments/', { ...good, parameters: { n: 1 } })).status).toBe(201)
      expect((await app.call('POST', '/deployments/', { ...good, parameters: { n: 'x' } })).status).toBe(422)
      const form = await app.call('POST', '/ui/schemas/validate', { schema: good.parameter_openapi_schema, values: { n: 'x' } })
      expect(form).toMatchObject({ status: 200, body: { valid: false } })
    })
  },
  ['sqlite'],
)

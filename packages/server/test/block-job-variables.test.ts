import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from './setup.ts'

/** The schema of a job variable that is a block, as Pydantic generates it. */
const definitions = {
  Creds: {
    title: 'Creds',
    type: 'object',
    block_type_slug: 'creds',
    properties: { token: { type: 'string', format: 'password', writeOnly: true }, region: { type: 'string' } },
    required: ['token'],
  },
}

async function createBlock(app: TestApp, slug: string, fields: object, data: object): Promise<{ $ref: { block_document_id: string } }> {
  const type = (await app.call('POST', '/block_types/', { name: slug, slug })).body.id
  const schema = (await app.call('POST', '/block_schemas/', { block_type_id: type, fields })).body.id
  const document = await app.call('POST', '/block_documents/', { name: 'one', data, block_type_id: type, block_schema_id: schema })
  return { $ref: { block_document_id: document.body.id } }
}

const createCredentialsBlock = (app: TestApp) =>
  createBlock(app, 'creds', { ...definitions.Creds, secret_fields: ['token'] }, { token: 'secret', region: 'eu' })
const createBucketBlock = (app: TestApp) => createBlock(app, 'bucket', { title: 'Bucket', properties: { name: { type: 'string' } } }, { name: 'b' })

const createPool = (app: TestApp, name: string, property: object) => {
  const variables = { type: 'object', properties: { k: { $ref: '#/definitions/Creds', ...property } }, definitions }
  return app.call('POST', '/work_pools/', { name, type: 'process', base_job_template: { job_configuration: { k: '{{ k }}' }, variables } })
}

eachDialect('job variables that are blocks', (setup) => {
  test('are accepted inline or by reference, with and without a default block', async () => {
    const app = await setup()
    const block = await createCredentialsBlock(app)
    const flow_id = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
    expect((await createPool(app, 'plain', {})).status).toBe(201)
    expect((await createPool(app, 'defaulted', { default: block })).status).toBe(201)
    for (const work_pool_name of ['plain', 'defaulted']) {
      const deploy = (k: unknown) => app.call('POST', '/deployments/', { name: work_pool_name, flow_id, work_pool_name, job_variables: { k } })
      expect((await deploy(5)).status).toBe(422)
      expect((await deploy({ region: 'eu' })).status).toBe(422)
      const { status, body } = await deploy({ token: 'x' })
      expect(status).toBe(201)
      const run = async (k: unknown) => (await app.call('POST', `/deployments/${body.id}/create_flow_run`, { job_variables: { k } })).status
      expect([await run({ token: 'y' }), await run(block), await run({ region: 'eu' })]).toEqual([201, 201, 422])
      expect((await app.call('PATCH', `/deployments/${body.id}`, { work_pool_name, job_variables: { k: block } })).status).toBe(204)
      expect((await app.call('POST', `/deployments/${body.id}/create_flow_run`, {})).status).toBe(201)
    }
  })

  test('are rejected for a run when the default block was deleted', async () => {
    const app = await setup()
    const block = await createCredentialsBlock(app)
    await createPool(app, 'pool', { default: block })
    const flow_id = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
    const { id } = (await app.call('POST', '/deployments/', { name: 'd', flow_id, work_pool_name: 'pool' })).body
    expect((await app.call('POST', `/deployments/${id}/create_flow_run`, {})).status).toBe(201)
    await app.call('DELETE', `/block_documents/${block.$ref.block_document_id}`)
    expect((await app.call('POST', `/deployments/${id}/create_flow_run`, {})).status).toBe(404)
  })
})

eachDialect('a base job template', (setup) => {
  test('is rejected when a default names a missing block or one of the wrong type', async () => {
    const app = await setup()
    const wrong = await createPool(app, 'wrong', { default: await createBucketBlock(app) })
    expect(wrong).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'base_job_template'], msg: expect.stringContaining('k') }] } })
    expect((await app.call('GET', '/work_pools/wrong')).status).toBe(404)
    expect((await createPool(app, 'none', { default: { $ref: { block_document_id: '00000000-0000-4000-8000-000000000000' } } })).status).toBe(404)
    expect((await createPool(app, 'right', { default: await createCredentialsBlock(app) })).status).toBe(201)
  })

  test('of an existing pool is replaced without checking its defaults, as in the v3 API', async () => {
    const app = await setup()
    await createPool(app, 'pool', {})
    const variables = { type: 'object', properties: { k: { $ref: '#/definitions/Creds', default: await createBucketBlock(app) } }, definitions }
    const base_job_template = { job_configuration: { k: '{{ k }}' }, variables }
    expect((await app.call('PATCH', '/work_pools/pool', { base_job_template })).status).toBe(204)
  })
})

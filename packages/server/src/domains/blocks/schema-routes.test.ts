import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const makeType = async (app: TestApp, slug: string): Promise<string> => (await app.call('POST', '/block_types/', { name: slug, slug })).body.id
const createSchema = (app: TestApp, block_type_id: string, fields: object, more: object = {}) =>
  app.call('POST', '/block_schemas/', { block_type_id, fields, ...more })

const Gate = {
  title: 'Gate',
  type: 'object',
  properties: { width: { $ref: '#/definitions/Width' } },
  block_type_slug: 'gate',
  block_schema_references: {},
}
const Width = { title: 'Width', enum: [1, 2] }
const nestedBlockFields = {
  title: 'Mill',
  type: 'object',
  properties: { gate: { $ref: '#/definitions/Gate' } },
  block_type_slug: 'mill',
  block_schema_references: { gate: { block_type_slug: 'gate', block_schema_checksum: 'sha256:unknown' } },
  definitions: { Gate, Width },
}

eachDialect('block schemas', (setup) => {
  test('create nested schemas and return them inline', async () => {
    const app = await setup()
    const gate = await makeType(app, 'gate')
    const { status, body } = await createSchema(app, await makeType(app, 'mill'), nestedBlockFields)
    expect(status).toBe(201)
    expect(body.fields).toEqual(nestedBlockFields)
    const [made] = (await app.call('POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [gate] } } })).body
    expect(made).toMatchObject({ version: 'non-versioned', capabilities: [], fields: { title: 'Gate', definitions: { Width } } })
    const { fields } = (await app.call('GET', `/block_schemas/${body.id}`)).body
    expect(fields.block_schema_references).toEqual({ gate: { block_type_slug: 'gate', block_schema_checksum: made.checksum } })
    expect(fields.definitions).toEqual({ Gate, Width })
  })

  test('allow blocks of several types in one field', async () => {
    const app = await setup()
    const types = await Promise.all(['one', 'two'].map((slug) => makeType(app, slug)))
    const sums: string[] = []
    for (const [index, type] of types.entries()) sums.push((await createSchema(app, type, { title: `T${index}` })).body.checksum)
    const references = ['one', 'two'].map((block_type_slug, index) => ({ block_type_slug, block_schema_checksum: sums[index] }))
    const { id } = (await createSchema(app, await makeType(app, 'both'), { title: 'Both', block_schema_references: { part: references } })).body
    const { fields } = (await app.call('GET', `/block_schemas/${id}`)).body
    expect(fields.block_schema_references.part).toEqual(references)
    expect(Object.keys(fields.definitions)).toEqual(['T0', 'T1'])
  })

  test('accept a definition that nests itself', async () => {
    const app = await setup()
    const type = await makeType(app, 'loop')
    const reference = { self: { block_type_slug: 'loop', block_schema_checksum: 'sha256:unknown' } }
    const Loop = { title: 'Loop', properties: { self: { $ref: '#/definitions/Loop' } }, block_type_slug: 'loop', block_schema_references: reference }
    const { status, body } = await createSchema(app, type, { ...Loop, title: 'Top', definitions: { Loop } })
    expect(status).toBe(201)
    expect((await app.call('GET', `/block_schemas/${body.id}`)).body.fields.definitions.Loop.title).toBe('Loop')
  })

  test('leave no rows after a rejection', async () => {
    const app = await setup()
    const type = await makeType(app, 'mill')
    expect((await createSchema(app, type, nestedBlockFields)).status).toBe(409)
    await makeType(app, 'gate')
    expect((await createSchema(app, type, { ...nestedBlockFields, definitions: {} })).status).toBe(409)
    expect((await createSchema(app, type, { block_schema_references: { gate: 'gate' } })).status).toBe(422)
    expect((await app.call('POST', '/block_schemas/filter', {})).body).toEqual([])
  })

  test('are created once by concurrent requests', async () => {
    const app = await setup()
    await makeType(app, 'gate')
    const type = await makeType(app, 'mill')
    const answers = await Promise.all(Array.from({ length: 5 }, () => createSchema(app, type, nestedBlockFields)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test('return the fields that were sent', async () => {
    const app = await setup()
    const type = await makeType(app, 'a')
    const fields = '{"title":"T","z":12345678901234567890,"properties":{"10":{"default":1.0},"2":{"default":1e3}}}'
    const sent = await app.call('POST', '/block_schemas/', `{"block_type_id":"${type}","fields":${fields}}`)
    const answer = await app.server.inject({ method: 'GET', url: `/block_schemas/${sent.body.id}` })
    expect(answer.body).toContain('"z":12345678901234567890,"properties":{"10":{"default":1.0},"2":{"default":1e3}}')
  })

  test('list each capability once', async () => {
    const app = await setup()
    const type = await makeType(app, 'a')
    await createSchema(app, type, { title: 'A' }, { capabilities: ['swim', 'fly'] })
    await createSchema(app, type, { title: 'B' }, { capabilities: ['fly'] })
    expect((await app.call('GET', '/block_capabilities/')).body).toEqual(['fly', 'swim'])
  })
})

import { expect, test } from 'vitest'
import { dumpDatabase, secretCanary, seedBlockType } from '../../../test/blocks.ts'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const fields = { title: 'Login', properties: {}, secret_fields: ['password', 'options.token', 'bag.*'] }
const data = {
  user: 'anna',
  password: secretCanary,
  options: { token: secretCanary, level: 3 },
  bag: { one: secretCanary, two: { three: secretCanary } },
}
const hidden = { user: 'anna', password: '********', options: { token: '********', level: 3 }, bag: { one: '********', two: { three: '********' } } }

const readDocument = async (app: TestApp, id: string, secrets = true) =>
  (await app.call('GET', `/block_documents/${id}?include_secrets=${secrets}`)).body.data
const updateDocument = (app: TestApp, id: string, body: object) => app.call('PATCH', `/block_documents/${id}`, body)
const blockReference = (id: string) => ({ $ref: { block_document_id: id } })

eachDialect('block documents', (setup) => {
  test('mask secrets unless requested and store them encrypted', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const { status, body } = await create('main', data)
    expect([status, body.data]).toEqual([201, hidden])
    expect(await readDocument(app, body.id, false)).toEqual(hidden)
    expect(await readDocument(app, body.id)).toEqual(data)
    expect(JSON.stringify((await app.call('POST', '/block_documents/filter', {})).body)).not.toContain(secretCanary)
    await updateDocument(app, body.id, { data: { password: `${secretCanary}-2` } })
    await app.call('DELETE', `/block_documents/${body.id}`)
    expect(await app.eventNames()).toContain('prefect.block-document.deleted')
    expect(await dumpDatabase(app)).not.toContain(secretCanary)
  })

  test('keep a secret whose mask is sent back, with and without a merge', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const { id } = (await create('main', data)).body
    await updateDocument(app, id, { data: { ...hidden, user: 'bert' } })
    expect(await readDocument(app, id)).toEqual({ ...data, user: 'bert' })
    await updateDocument(app, id, { data: hidden, merge_existing_data: false })
    expect(await readDocument(app, id)).toEqual(data)
    await updateDocument(app, id, { merge_existing_data: false })
    expect(await readDocument(app, id)).toEqual({})
  })

  test('return the data that was sent', async () => {
    const app = await setup()
    const { type, schema } = await seedBlockType(app, 'login', fields)
    const text = '{"z":12345678901234567890,"password":"x","10":1.0,"n":{"1":1e3,"nul":"\\u0000"}}'
    const { id } = (
      await app.call('POST', '/block_documents/', `{"name":"a","block_type_id":"${type}","block_schema_id":"${schema}","data":${text}}`)
    ).body
    const plain = await app.server.inject({ method: 'GET', url: `/block_documents/${id}?include_secrets=true` })
    expect(plain.body).toContain(`"data":${text}`)
    const masked = await app.server.inject({ method: 'GET', url: `/block_documents/${id}` })
    for (const part of ['"z":12345678901234567890', '"password":"********"', '"10":1.0', '"n":{"1":1e3,"nul":"\\u0000"}']) {
      expect(masked.body).toContain(part)
    }
  })

  test('include nested documents with their own secrets masked', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const inner = (await create('inner', { password: secretCanary })).body.id
    const middle = (await create('middle', { login: blockReference(inner), user: 'm' })).body.id
    const { body } = await create('outer', { part: blockReference(middle), label: 'L' })
    expect(body.data).toEqual({ label: 'L', part: { user: 'm', login: { password: '********' } } })
    expect(body.block_document_references).toMatchObject({
      part: { block_document: { id: middle, block_document_references: { login: { block_document: { id: inner, name: 'inner' } } } } },
    })
    expect((await readDocument(app, body.id)).part.login).toEqual({ password: secretCanary })
    await app.call('DELETE', `/block_documents/${middle}`)
    expect(await readDocument(app, body.id)).toEqual({ label: 'L' })
  })

  test('keep other references in a merged update', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const inner = (await create('inner', { user: 'i' })).body.id
    const { id } = (await create('outer', { login: blockReference(inner), label: 'L' })).body
    await updateDocument(app, id, { data: { label: 'M' } })
    expect(await readDocument(app, id)).toEqual({ label: 'M', login: { user: 'i' } })
    await updateDocument(app, id, { data: { login: 'gone' } })
    expect(await app.call('GET', `/block_documents/${id}`)).toMatchObject({
      body: { data: { label: 'M', login: 'gone' }, block_document_references: {} },
    })
  })

  test('reject cycles and missing references', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const a = (await create('a', {})).body.id
    const b = (await create('b', { next: blockReference(a) })).body.id
    const c = (await create('c', { next: blockReference(b) })).body.id
    expect((await updateDocument(app, a, { data: { next: blockReference(a) } })).status).toBe(400)
    expect((await updateDocument(app, a, { data: { next: blockReference(c) } })).status).toBe(400)
    expect((await create('d', { next: blockReference('00000000-0000-4000-8000-000000000000') })).status).toBe(409)
    for (const $ref of [{}, 'x', { block_document_id: 'x' }, { block_document_id: null }])
      expect((await create('d', { next: { $ref } })).status).toBe(400)
    expect((await app.call('POST', '/block_documents/count', {})).body).toBe(3)
  })

  test('move only to another schema of their own type', async () => {
    const app = await setup()
    const { type, create } = await seedBlockType(app, 'login', fields)
    const { schema: foreign } = await seedBlockType(app, 'other', {})
    const next = (await app.call('POST', '/block_schemas/', { block_type_id: type, fields: { title: 'Next', secret_fields: ['user'] } })).body.id
    const { id } = (await create('main', { user: 'anna' })).body
    expect((await updateDocument(app, id, { block_schema_id: foreign })).status).toBe(400)
    expect((await updateDocument(app, id, { block_schema_id: '00000000-0000-4000-8000-000000000000' })).status).toBe(409)
    expect((await updateDocument(app, id, { block_schema_id: next })).status).toBe(204)
    expect(await app.call('GET', `/block_documents/${id}`)).toMatchObject({ body: { block_schema_id: next, data: { user: '********' } } })
  })

  test('have unique names within a type and reject missing types and schemas', async () => {
    const app = await setup()
    const { type, schema, create } = await seedBlockType(app, 'login', fields)
    const missingId = '00000000-0000-4000-8000-000000000000'
    const statuses = (await Promise.all([create('a', {}), create('a', {})])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
    expect((await app.call('POST', '/block_documents/', { name: 'b', block_type_id: missingId, block_schema_id: schema })).status).toBe(409)
    expect((await app.call('POST', '/block_documents/', { name: 'b', block_type_id: type, block_schema_id: missingId })).status).toBe(409)
  })

  test('require a non-empty name unless they are anonymous', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const refused = (...loc: string[]) => ({ status: 422, body: { detail: [{ loc }] } })
    expect(await create(null, {})).toMatchObject(refused('body'))
    expect(await create('', {})).toMatchObject(refused('body'))
    const nothing = await app.call('POST', '/block_documents/', { data: 5 })
    expect(nothing.body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([['body']])
    expect(await create('', {}, { is_anonymous: true })).toMatchObject(refused('body', 'name'))
  })

  test('get a name, emit no event and are not listed if they are anonymous', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'login', fields)
    const { body } = await create(null, { user: 'x' }, { is_anonymous: true })
    expect(body.name).toMatch(/^anonymous-[0-9a-f-]{36}$/)
    await updateDocument(app, body.id, { data: { user: 'y' } })
    await app.call('DELETE', `/block_documents/${body.id}`)
    await create(null, {}, { is_anonymous: true })
    expect((await app.call('POST', '/block_documents/filter', {})).body).toEqual([])
    expect((await app.call('GET', '/block_types/slug/login/block_documents')).body).toEqual([])
    expect((await app.call('POST', '/block_documents/count', { block_documents: { is_anonymous: null } })).body).toBe(1)
    expect((await app.eventNames()).filter((event) => event.includes('document'))).toEqual([])
  })
})

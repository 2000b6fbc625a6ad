import { expect, test } from 'vitest'
import { seedBlockType } from '../../../test/blocks.ts'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const set = (app: TestApp, id: string) => app.call('PUT', '/admin/storage', { default_result_storage_block_id: id })
const current = async (app: TestApp) => (await app.call('GET', '/admin/storage')).body.default_result_storage_block_id

eachDialect('the default result storage', (setup) => {
  test.each(['block_documents', 'block_schemas', 'block_types'])('is forgotten with what it depends on: %s', async (noun) => {
    const app = await setup()
    const { type, schema, create } = await seedBlockType(app, 'store', {}, ['write-path'])
    const document = (await create('a', {})).body.id
    const other = (await create('b', {})).body.id
    expect(await set(app, other)).toMatchObject({ status: 200, body: { default_result_storage_block_id: other } })
    await set(app, document)
    expect(await current(app)).toBe(document)
    const id = { block_documents: document, block_schemas: schema, block_types: type }[noun]
    expect((await app.call('DELETE', `/${noun}/${id}`)).status).toBe(204)
    expect(await current(app)).toBeNull()
  })

  test('accepts a block with the write capability and can be cleared', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'reader', {}, ['read-path'])
    const writer = await seedBlockType(app, 'writer', { title: 'Writer' }, ['write-path'])
    expect((await set(app, (await create('a', {})).body.id)).status).toBe(422)
    expect((await set(app, '00000000-0000-4000-8000-000000000000')).status).toBe(404)
    await set(app, (await writer.create('a', {})).body.id)
    expect((await app.call('DELETE', '/admin/storage')).status).toBe(204)
    expect((await app.call('DELETE', '/admin/storage')).status).toBe(204)
    expect(await current(app)).toBeNull()
  })
})

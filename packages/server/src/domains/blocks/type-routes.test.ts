import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const create = (app: TestApp, slug: string, more: object = {}) => app.call('POST', '/block_types/', { name: `Type ${slug}`, slug, ...more })

eachDialect('block types', (setup) => {
  test('emit complete events when created, changed and deleted', async () => {
    const app = await setup()
    const { id } = (await create(app, 'a', { description: 'd' })).body
    await app.call('PATCH', `/block_types/${id}`, { description: 'e' })
    await app.call('DELETE', `/block_types/${id}`)
    const events = await app.context.reads.kysely.selectFrom('event').select(['event', 'resource_id', 'payload']).orderBy('position').execute()
    const payload = { name: 'Type a', slug: 'a', logo_url: null, documentation_url: null, code_example: null, is_protected: false }
    expect(events.map(({ event, payload }) => [event, JSON.parse(payload)])).toEqual([
      ['prefect.block-type.created', { ...payload, description: 'd' }],
      ['prefect.block-type.updated', { ...payload, description: 'e' }],
      ['prefect.block-type.deleted', { ...payload, description: 'e' }],
    ])
    expect(new Set(events.map((event) => event.resource_id))).toEqual(new Set([`prefect.block-type.${id}`]))
  })

  test('do not change if a client sends the stored values again', async () => {
    const app = await setup()
    const { id, updated } = (await create(app, 'a', { description: 'd' })).body
    const same = { description: 'd', logo_url: null, documentation_url: null, code_example: null }
    expect((await app.call('PATCH', `/block_types/${id}`, same)).status).toBe(204)
    expect((await app.call('GET', `/block_types/${id}`)).body.updated).toBe(updated)
    expect(await app.eventNames()).toEqual(['prefect.block-type.created'])
  })

  test('are escaped at creation, which does not count as a change', async () => {
    const app = await setup()
    const said = { description: 'a < b & "c"', code_example: 'f() -> int', logo_url: 'x?a&b', documentation_url: null }
    const made = (await create(app, 'a', said)).body
    expect(made).toMatchObject({ description: 'a &lt; b &amp; "c"', code_example: 'f() -&gt; int', logo_url: 'x?a&b' })
    await app.call('PATCH', `/block_types/${made.id}`, said)
    expect((await app.call('GET', `/block_types/${made.id}`)).body).toEqual(made)
    await app.call('PATCH', `/block_types/${made.id}`, { description: 'c < d' })
    expect((await app.call('GET', `/block_types/${made.id}`)).body).toMatchObject({ description: 'c < d', code_example: 'f() -&gt; int' })
  })

  test('have unique slugs, also under concurrent requests', async () => {
    const app = await setup()
    const statuses = (await Promise.all([create(app, 'a'), create(app, 'a')])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
    expect(await app.eventNames()).toEqual(['prefect.block-type.created'])
  })

  test('are detached from deployments when they are deleted', async () => {
    const app = await setup()
    const { id: type } = (await create(app, 'a')).body
    const { id: schema } = (await app.call('POST', '/block_schemas/', { block_type_id: type, fields: {} })).body
    const { id: document } = (await app.call('POST', '/block_documents/', { name: 'd', block_type_id: type, block_schema_id: schema })).body
    const { id: flow } = (await app.call('POST', '/flows/', { name: 'f' })).body
    const { id } = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, storage_document_id: document })).body
    await app.call('DELETE', `/block_types/${type}`)
    expect(await app.call('GET', `/deployments/${id}`)).toMatchObject({ status: 200, body: { storage_document_id: null } })
  })
})

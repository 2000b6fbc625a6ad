import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

const filter = { object: 'flow_run', property: 'state', type: 'string', operation: 'equals', value: { any: ['FAILED', 1.5, null] } }

eachDialect('saved searches', (setup) => {
  test('are saved by name and replace the filters of an existing one', async () => {
    const app = await setup()
    const first = await app.call('PUT', '/saved_searches/', { name: 'a' })
    expect(first).toMatchObject({ status: 201, body: { name: 'a', filters: [] } })
    app.clock.advance(5)
    const second = await app.call('PUT', '/saved_searches/', { name: 'a', filters: [{ ...filter, colour: 'dropped' }] })
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, created: first.body.created } })
    expect(second.body.filters).toEqual([filter])
    expect(second.body.updated > first.body.updated).toBe(true)
    expect((await app.call('GET', `/saved_searches/${first.body.id}`)).body).toEqual(second.body)
  })

  test('are listed by name, and deleted', async () => {
    const app = await setup()
    for (const name of ['b', 'B', '!a', 'a']) await app.call('PUT', '/saved_searches/', { name })
    const list = async (body: object) => (await app.call('POST', '/saved_searches/filter', body)).body
    expect((await list({})).map(({ name }: { name: string }) => name)).toEqual(['!a', 'B', 'a', 'b'])
    const [second] = await list({ limit: 1, offset: 1 })
    expect(second.name).toBe('B')
    expect((await app.call('DELETE', `/saved_searches/${second.id}`)).status).toBe(204)
    expect((await app.call('DELETE', `/saved_searches/${second.id}`)).status).toBe(404)
    expect((await app.call('GET', `/saved_searches/${second.id}`)).status).toBe(404)
  })

  test('reject an incomplete filter', async () => {
    const app = await setup()
    const answer = await app.call('PUT', '/saved_searches/', { name: 'a', filters: [{ object: 'flow' }] })
    expect(answer.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual(
      ['property', 'type', 'operation', 'value'].map((key) => `body.filters.0.${key}`),
    )
  })
})

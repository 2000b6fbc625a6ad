import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const create = (app: TestApp, name: string, value: unknown, tags: string[] = []) => app.call('POST', '/variables/', { name, value, tags })
const names = async (app: TestApp, body: object): Promise<string[]> =>
  (await app.call('POST', '/variables/filter', body)).body.map(({ name }: { name: string }) => name)

eachDialect('variables', (setup) => {
  test('emit complete events when created, changed and deleted', async () => {
    const app = await setup()
    const { id } = (await create(app, 'a', { deep: [1, null] }, ['t'])).body
    await app.call('PATCH', `/variables/${id}`, { value: null })
    expect((await app.call('PATCH', '/variables/name/a', { name: 'b', tags: null })).status).toBe(409)
    await app.call('PATCH', '/variables/name/a', { name: 'b' })
    await app.call('DELETE', '/variables/name/b')
    const events = await app.context.reads.kysely.selectFrom('event').select(['event', 'resource_id', 'payload']).orderBy('position').execute()
    expect(events.map(({ event, payload }) => [event, JSON.parse(payload)])).toEqual([
      ['prefect.variable.created', { name: 'a', value: { deep: [1, null] }, tags: ['t'] }],
      ['prefect.variable.updated', { name: 'a', value: null, tags: ['t'] }],
      ['prefect.variable.updated', { name: 'b', value: null, tags: ['t'] }],
      ['prefect.variable.deleted', { name: 'b', value: null, tags: ['t'] }],
    ])
    expect(new Set(events.map(({ resource_id }) => resource_id))).toEqual(new Set([`prefect.variable.${id}`]))
  })

  test('return the value that was sent', async () => {
    const app = await setup()
    const sent = '{"name":"a","value":{"z":12345678901234567890,"a":1.0,"10":1e3,"nul":"\\u0000"}}'
    await app.call('POST', '/variables/', sent)
    const answer = await app.server.inject({ method: 'GET', url: '/variables/name/a' })
    expect(answer.body).toContain('"value":{"z":12345678901234567890,"a":1.0,"10":1e3,"nul":"\\u0000"}')
  })

  test.each([
    ['x'.repeat(4998), 201],
    ['x'.repeat(4999), 422],
    ['✓'.repeat(1666), 201],
    ['✓'.repeat(1667), 422],
    [Array.from({ length: 3000 }, () => 1), 422],
  ])('a value may be 5,000 bytes of JSON', async (value, status) => {
    const app = await setup()
    expect((await create(app, 'a', value)).status).toBe(status)
    await create(app, 'b', 1)
    expect((await app.call('PATCH', '/variables/name/b', { value })).status).toBe(status === 201 ? 204 : 422)
  })

  test.each(['Upper', 'with space', 'dot.ted', 'slash/ed', 'x'.repeat(256), 'ä', 'a\n'])('the name %j is refused', async (name) => {
    const app = await setup()
    expect(await create(app, name, 1)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'name'] }] } })
  })

  test('have unique names, also under concurrent requests', async () => {
    const app = await setup()
    const answers = await Promise.all([create(app, 'a', 1), create(app, 'a', 2), create(app, 'b', 3)])
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 201])
    expect((await app.call('PATCH', '/variables/name/b', { name: 'a' })).status).toBe(409)
    expect((await app.call('GET', '/variables/name/a')).body.value).toBe(1)
  })

  test('are listed and counted by name, tags and either', async () => {
    const app = await setup()
    await create(app, 'b-2', 1, ['red', 'blue'])
    await create(app, 'a_1', 1, ['red'])
    await create(app, 'b_1', 1)
    await app.call('PATCH', '/variables/name/a_1', { value: 2 })
    expect(await names(app, {})).toEqual(['a_1', 'b-2', 'b_1'])
    expect(await names(app, { sort: 'NAME_DESC' })).toEqual(['b_1', 'b-2', 'a_1'])
    expect(await names(app, { sort: 'CREATED_DESC' })).toEqual(['b_1', 'a_1', 'b-2'])
    expect(await names(app, { sort: 'UPDATED_DESC', limit: 1 })).toEqual(['a_1'])
    expect(await names(app, { limit: 1, offset: 1 })).toEqual(['b-2'])
    expect(await names(app, { variables: { name: { like_: 'B' } } })).toEqual(['b-2', 'b_1'])
    expect(await names(app, { variables: { tags: { all_: ['red', 'blue'] } } })).toEqual(['b-2'])
    expect(await names(app, { variables: { tags: { is_null_: true } } })).toEqual(['b_1'])
    expect(await names(app, { variables: { operator: 'or_', name: { any_: ['b_1'] }, tags: { all_: ['blue'] } } })).toEqual(['b-2', 'b_1'])
    const count = async (body: object) => (await app.call('POST', '/variables/count', body)).body
    expect(await count({})).toBe(3)
    expect(await count({ variables: { name: { like_: 'b' }, tags: { is_null_: false } } })).toBe(1)
    expect(await count({ variables: { id: { any_: [] } } })).toBe(0)
  })
})

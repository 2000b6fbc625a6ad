import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
    count: { type: 'integer', minimum: 1 },
    tags: { type: 'array', items: { type: 'string' } },
    place: { $ref: '#/definitions/Place' },
    either: { oneOf: [{ $ref: '#/definitions/Place' }, { type: 'array', items: { $ref: '#/definitions/Place' } }] },
    born: { type: 'string', format: 'date' },
  },
  required: ['name'],
  definitions: { Place: { type: 'object', properties: { street: { type: 'string' }, near: { $ref: '#/definitions/Place' } }, required: ['street'] } },
}
const text = expect.any(String)
const at = (property: string, ...errors: unknown[]) => ({ property, errors })

const validate = async (app: TestApp, values: object, by: object = schema) => app.call('POST', '/ui/schemas/validate', { schema: by, values })

eachDialect('the values of a form', (setup) => {
  test.each<[string, object, unknown[]]>([
    [
      'good ones',
      { name: 'anna', count: null, tags: ['x'], place: { street: 'High' }, either: [{ street: 'High' }], born: '2001-02-28', extra: 1 },
      [],
    ],
    ['a field that is missing comes after those that are wrong', { count: 0 }, [at('count', text), at('name', text)]],
    ['each fault of a field stands for itself', { name: 'A' }, [at('name', text), at('name', text)]],
    ['items go by their index', { name: 'anna', tags: ['x', 1, 'y', 2] }, [at('tags', { index: 1, errors: [text] }, { index: 3, errors: [text] })]],
    [
      'fields within fields',
      { name: 'anna', place: { street: 's', near: { near: 1 } } },
      [at('place', at('near', at('near', text), at('street', text)))],
    ],
    ['a value that fits no form is one fault, however many its forms have', { name: 'anna', either: { near: 7 } }, [at('either', text)]],
    ['a date that is none', { name: 'anna', born: '2001-02-30' }, [at('born', text)]],
  ])('%s', async (_name, values, errors) => {
    const { status, body } = await validate(await setup(), values)
    expect([status, body]).toEqual([200, { errors, valid: errors.length === 0 }])
  })

  test('the order of faults is that of the schema', async () => {
    const app = await setup()
    const properties = (body: { errors: { property: string }[] }) => body.errors.map(({ property }) => property)
    expect(properties((await validate(app, { count: 0 })).body)).toEqual(['count', 'name'])
    const { properties: fields, ...rest } = schema
    expect(properties((await validate(app, { count: 0 }, { ...rest, properties: fields })).body)).toEqual(['name', 'count'])
  })

  test('placeholders are worked out first; what only a run knows is taken to be right', async () => {
    const app = await setup()
    await app.call('POST', '/variables/', { name: 'twelve', value: 12 })
    const kind = (__prefect_kind: string, more: object) => ({ __prefect_kind, ...more })
    const variable = (variable_name: string) => kind('workspace_variable', { variable_name })
    const judge = async (values: object) => (await validate(app, { name: 'anna', ...values })).body.errors
    expect(await judge({ count: variable('twelve'), tags: kind('json', { value: '["x"]' }) })).toEqual([])
    expect(await judge({ name: variable('twelve') })).toEqual([at('name', text)])
    expect(await judge({ count: variable('none') })).toEqual([at('count', 'There is no variable "none"')])
    expect(await judge({ count: kind('json', { value: '{' }) })).toEqual([at('count', expect.stringContaining('JSON'))])
    expect(await judge({ name: kind('jinja', { template: '{{ x }}' }), place: kind('jinja', { template: '{{ x }}' }) })).toEqual([])
    expect(await judge({ count: kind('jinja', { template: '{{ x' }) })).toEqual([at('count', expect.stringContaining('template'))])
    expect(await judge({ tags: [kind('json', {}), kind('workspace_variable', {}), 'x'], count: kind('none', { value: 2 }) })).toEqual([])
    expect(await judge({ count: kind('jinja', {}) })).toEqual([at('count', expect.stringContaining('"template"'))])
  })

  test.each([
    ['no schema', { properties: { a: { type: 'nothing' } } }],
    ['a circle', { properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: { $ref: '#/definitions/A' } } }],
    ['a reference that leads nowhere', { properties: { a: { $ref: '#/definitions/None' } } }],
    ['a reference that leads outside', { properties: { a: { $ref: 'http://127.0.0.1:1/schema.json' } } }],
  ])('%s is refused', async (_name, by) => {
    expect((await validate(await setup(), { a: 1 }, by)).status).toBe(422)
  })
})

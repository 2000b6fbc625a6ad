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

eachDialect('form values', (setup) => {
  test.each<[string, object, unknown[]]>([
    [
      'are accepted if valid',
      { name: 'anna', count: null, tags: ['x'], place: { street: 'High' }, either: [{ street: 'High' }], born: '2001-02-28', extra: 1 },
      [],
    ],
    ['list missing fields after invalid ones', { count: 0 }, [at('count', text), at('name', text)]],
    ['list each error of a field', { name: 'A' }, [at('name', text), at('name', text)]],
    ['list items by index', { name: 'anna', tags: ['x', 1, 'y', 2] }, [at('tags', { index: 1, errors: [text] }, { index: 3, errors: [text] })]],
    [
      'list nested fields',
      { name: 'anna', place: { street: 's', near: { near: 1 } } },
      [at('place', at('near', at('near', text), at('street', text)))],
    ],
    ['list one error for a value that matches no alternative', { name: 'anna', either: { near: 7 } }, [at('either', text)]],
    ['reject an invalid date', { name: 'anna', born: '2001-02-30' }, [at('born', text)]],
  ])('%s', async (_name, values, errors) => {
    const { status, body } = await validate(await setup(), values)
    expect([status, body]).toEqual([200, { errors, valid: errors.length === 0 }])
  })

  test('list errors in the order of the schema', async () => {
    const app = await setup()
    const properties = (body: { errors: { property: string }[] }) => body.errors.map(({ property }) => property)
    expect(properties((await validate(app, { count: 0 })).body)).toEqual(['count', 'name'])
    const { properties: fields, ...rest } = schema
    expect(properties((await validate(app, { count: 0 }, { ...rest, properties: fields })).body)).toEqual(['name', 'count'])
  })

  test('resolve placeholders first and accept templates that only a run can render', async () => {
    const app = await setup()
    await app.call('POST', '/variables/', { name: 'twelve', value: 12 })
    const kind = (__prefect_kind: string, more: object) => ({ __prefect_kind, ...more })
    const variable = (variable_name: string) => kind('workspace_variable', { variable_name })
    const errorsOf = async (values: object) => (await validate(app, { name: 'anna', ...values })).body.errors
    expect(await errorsOf({ count: variable('twelve'), tags: kind('json', { value: '["x"]' }) })).toEqual([])
    expect(await errorsOf({ name: variable('twelve') })).toEqual([at('name', text)])
    expect(await errorsOf({ count: variable('none') })).toEqual([at('count', 'There is no variable "none"')])
    expect(await errorsOf({ count: kind('json', { value: '{' }) })).toEqual([at('count', expect.stringContaining('JSON'))])
    expect(await errorsOf({ name: kind('jinja', { template: '{{ x }}' }), place: kind('jinja', { template: '{{ x }}' }) })).toEqual([])
    expect(await errorsOf({ count: kind('jinja', { template: '{{ x' }) })).toEqual([at('count', expect.stringContaining('template'))])
    expect(await errorsOf({ tags: [kind('json', {}), kind('workspace_variable', {}), 'x'], count: kind('none', { value: 2 }) })).toEqual([])
    expect(await errorsOf({ count: kind('jinja', {}) })).toEqual([at('count', expect.stringContaining('"template"'))])
  })

  test.each([
    ['an invalid schema', { properties: { a: { type: 'nothing' } } }],
    ['a circular schema', { properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: { $ref: '#/definitions/A' } } }],
    ['a missing reference', { properties: { a: { $ref: '#/definitions/None' } } }],
    ['an external reference', { properties: { a: { $ref: 'http://127.0.0.1:1/schema.json' } } }],
  ])('reject %s', async (_name, by) => {
    expect((await validate(await setup(), { a: 1 }, by)).status).toBe(422)
  })
})

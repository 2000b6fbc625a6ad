import { expect, test } from 'vitest'
import { listFields, parseFieldValue } from './block-fields.ts'

const fieldOf = (property: object) => listFields({ properties: { name: property } })[0]!

test.each([
  [{ type: 'string' }, '123', '123'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'null', 'null'],
  [{ enum: ['GET', 'POST'] }, 'GET', 'GET'],
  [{ type: 'integer' }, '123', 123],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'array', items: { type: 'string' } }, '["a"]', ['a']],
  [{ anyOf: [{ type: 'string' }, { type: 'object' }] }, '{"a": 1}', { a: 1 }],
  [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, '123', '123'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null', null],
  [{ allOf: [{ $ref: '#/definitions/Config' }] }, '{"a": 1}', { a: 1 }],
  [{}, '{not JSON', '{not JSON'],
])('reads the value of a field by its schema: %#', (property, text, value) => {
  expect(parseFieldValue(fieldOf(property), text)).toEqual(value)
})

test('rejects a value of another type without printing a secret', () => {
  expect(() => parseFieldValue(fieldOf({ type: 'integer' }), 'many')).toThrow('Field "name": "many" is not a value of type integer.')
  const [secret] = listFields({ properties: { pin: { type: 'integer' } }, secret_fields: ['pin'] })
  expect(() => parseFieldValue(secret!, 'hidden')).toThrow('Field "pin": the value is not a value of type integer.')
})

test('describes the types of fields', () => {
  const references = { credentials: [{ block_type_slug: 'a' }, { block_type_slug: 'b' }] }
  const properties = {
    mode: { enum: ['r', 'w'] },
    path: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    config: { $ref: '#/definitions/Config' },
    credentials: {},
  }
  const fields = listFields({ properties, block_schema_references: references, secret_fields: ['credentials.key'], required: ['mode'] })
  expect(fields.map(({ name, type, isRequired, isSecret }) => [name, type, isRequired, isSecret])).toEqual([
    ['mode', 'r|w', true, false],
    ['path', 'string or null', false, false],
    ['config', 'Config', false, false],
    ['credentials', 'block a or block b', false, true],
  ])
})

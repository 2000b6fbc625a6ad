import { expect, test } from 'vitest'
import { defaultsOf, fieldKind, fieldsOf, missingIn, resolved, type Schema } from './schema.ts'

const schema: Schema = {
  type: 'object',
  required: ['name', 'place'],
  properties: {
    note: { type: 'string', position: 2 },
    name: { type: 'string', position: 0 },
    place: { allOf: [{ $ref: '#/definitions/Place' }], position: 1 },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 3, title: 'Size', position: 3 },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }], position: 4 },
  },
  definitions: { Place: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: { type: 'string', default: '0' } } } },
}

test('fields come in the order of their author', () => {
  expect(fieldsOf(schema).map(([name]) => name)).toEqual(['name', 'place', 'note', 'size', 'either'])
})

test('references, wrappings and "or null" are looked through, the rest is edited as JSON', () => {
  const kinds = fieldsOf(schema).map(([name, field]) => [name, fieldKind(resolved(field, schema))])
  expect(kinds).toEqual([
    ['name', 'text'],
    ['place', 'object'],
    ['note', 'text'],
    ['size', 'integer'],
    ['either', 'json'],
  ])
  expect(resolved(schema.properties?.size ?? {}, schema).title).toBe('Size')
})

test('a reference that leads in a circle, or out of the schema, ends', () => {
  const circle: Schema = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }
  expect(fieldKind(resolved(circle, circle))).toBe('json')
  expect(fieldKind(resolved({ $ref: 'https://example.com/schema' }, schema))).toBe('json')
})

test('a form starts with the defaults and says what is missing', () => {
  expect(defaultsOf(schema, schema)).toEqual({ place: { zip: '0' }, size: 3 })
  expect(missingIn(schema, schema, defaultsOf(schema, schema))).toEqual(['name', 'place.city'])
  expect(missingIn(schema, schema, { name: 'x', place: { city: 'y' } })).toEqual([])
})

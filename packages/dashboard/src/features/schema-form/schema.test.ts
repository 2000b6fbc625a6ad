import { expect, test } from 'vitest'
import { fieldKind, Unfinished } from './field-kind.ts'
import { defaultsOf, emptyOf, fieldsOf, missingIn, resolved } from './schema.ts'
import type { Schema } from './schema-shape.ts'

const schema: Schema = {
  type: 'object',
  required: ['name', 'place', 'sure'],
  properties: {
    note: { type: 'string', position: 2 },
    name: { type: 'string', position: 0 },
    place: { allOf: [{ $ref: '#/definitions/Place' }], position: 1 },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 3, title: 'Size', position: 3 },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }], position: 4 },
    sure: { type: 'boolean', position: 5 },
    kind: { const: 'a', position: 6 },
  },
  definitions: { Place: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: { type: 'string', default: '0' } } } },
}

test('fields come in the order of their author', () => {
  expect(fieldsOf(schema).map(([name]) => name)).toEqual(['name', 'place', 'note', 'size', 'either', 'sure', 'kind'])
})

test('references, wrappings and "or null" are looked through', () => {
  const kinds = fieldsOf(schema).map(([name, field]) => [name, fieldKind(resolved(field, schema))])
  expect(kinds).toEqual([
    ['name', 'text'],
    ['place', 'object'],
    ['note', 'text'],
    ['size', 'integer'],
    ['either', 'union'],
    ['sure', 'boolean'],
    ['kind', 'const'],
  ])
  expect(resolved(schema.properties?.size ?? {}, schema)).toMatchObject({ title: 'Size', orNull: true })
  expect(resolved({ type: ['string', 'null'] }, schema)).toMatchObject({ type: 'string', orNull: true })
  expect(resolved({ oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] }, schema).orNull).toBe(true)
})

test('several schemas of one value are one', () => {
  const whole = resolved(
    { allOf: [{ $ref: '#/definitions/Place' }, { required: ['street'], properties: { street: { type: 'string' } } }], title: 'Home' },
    schema,
  )
  expect(whole).toMatchObject({ title: 'Home', required: ['city', 'street'] })
  expect(Object.keys(whole.properties ?? {})).toEqual(['city', 'zip', 'street'])
})

test('each kind of value has its kind of field', () => {
  const kind = (field: Schema) => fieldKind(resolved(field, schema))
  expect(kind({ type: 'string', format: 'password' })).toBe('password')
  expect(kind({ type: 'string', writeOnly: true })).toBe('password')
  expect(kind({ type: 'string', format: 'date-time' })).toBe('date-time')
  expect(kind({ type: 'string', maxLength: 5000 })).toBe('long-text')
  expect(kind({ type: 'array', items: { type: 'string' } })).toBe('list')
  expect(kind({ type: 'array', prefixItems: [{}], items: {} })).toBe('json')
  expect(kind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map')
  expect(kind({ type: 'object' })).toBe('json')
  expect(kind({ type: ['string', 'integer'] })).toBe('union')
  expect(kind({ enum: ['a', 1] })).toBe('choice')
  expect(kind({})).toBe('json')
})

test('a reference that leads in a circle, or out of the schema, ends', () => {
  const circle: Schema = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }
  expect(fieldKind(resolved(circle, circle))).toBe('json')
  const loop: Schema = { allOf: [{ $ref: '#/$defs/A' }], $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } }
  expect(fieldKind(resolved(loop, loop))).toBe('json')
  expect(fieldKind(resolved({ $ref: 'https://example.com/schema' }, schema))).toBe('json')
})

test('a form starts with the defaults and says what is missing', () => {
  const start = defaultsOf(schema, schema)
  expect(start).toEqual({ place: { zip: '0' }, size: 3, sure: false, kind: 'a' })
  expect(missingIn(schema, schema, start)).toEqual(['name', 'place.city'])
  expect(missingIn(schema, schema, { name: 'x', place: { city: 'y' }, sure: true })).toEqual([])
  expect(missingIn(schema, schema, { name: 'x', place: { city: 'y' }, sure: true, size: new Unfinished('1e', 'no') })).toEqual(['size'])
})

test('what is added starts with what it can be', () => {
  expect(emptyOf({ type: 'string' }, schema)).toBe('')
  expect(emptyOf({ $ref: '#/definitions/Place' }, schema)).toEqual({ zip: '0' })
  expect(emptyOf({ type: 'integer' }, schema)).toBeUndefined()
  expect(emptyOf({ type: 'array', items: {} }, schema)).toEqual([])
})

import { expect, test } from 'vitest'
import { fieldKind, UnparsedInput } from './field-kind.ts'
import type { Schema } from './json-schema.ts'
import { defaultValues, emptyValue, listMissingFields, orderedFields, resolveSchema } from './resolve-schema.ts'

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

test('orders fields by position', () => {
  expect(orderedFields(schema).map(([name]) => name)).toEqual(['name', 'place', 'note', 'size', 'either', 'sure', 'kind'])
})

test('resolves references, single-item unions and nullable types', () => {
  const kinds = orderedFields(schema).map(([name, field]) => [name, fieldKind(resolveSchema(field, schema))])
  expect(kinds).toEqual([
    ['name', 'text'],
    ['place', 'object'],
    ['note', 'text'],
    ['size', 'integer'],
    ['either', 'union'],
    ['sure', 'boolean'],
    ['kind', 'const'],
  ])
  expect(resolveSchema(schema.properties?.size ?? {}, schema)).toMatchObject({ title: 'Size', nullable: true })
  expect(resolveSchema({ type: ['string', 'null'] }, schema)).toMatchObject({ type: 'string', nullable: true })
  expect(resolveSchema({ oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] }, schema).nullable).toBe(true)
})

test('merges allOf', () => {
  const merged = resolveSchema(
    { allOf: [{ $ref: '#/definitions/Place' }, { required: ['street'], properties: { street: { type: 'string' } } }], title: 'Home' },
    schema,
  )
  expect(merged).toMatchObject({ title: 'Home', required: ['city', 'street'] })
  expect(Object.keys(merged.properties ?? {})).toEqual(['city', 'zip', 'street'])
})

test('selects a field for each type', () => {
  const kind = (field: Schema) => fieldKind(resolveSchema(field, schema))
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

test('stops at cyclic and external references', () => {
  const circle: Schema = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }
  expect(fieldKind(resolveSchema(circle, circle))).toBe('json')
  const loop: Schema = { allOf: [{ $ref: '#/$defs/A' }], $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } }
  expect(fieldKind(resolveSchema(loop, loop))).toBe('json')
  expect(fieldKind(resolveSchema({ $ref: 'https://example.com/schema' }, schema))).toBe('json')
})

test('starts with defaults and lists missing fields', () => {
  const start = defaultValues(schema, schema)
  expect(start).toEqual({ place: { zip: '0' }, size: 3, sure: false, kind: 'a' })
  expect(listMissingFields(schema, schema, start)).toEqual(['name', 'place.city'])
  expect(listMissingFields(schema, schema, { name: 'x', place: { city: 'y' }, sure: true })).toEqual([])
  expect(listMissingFields(schema, schema, { name: 'x', place: { city: 'y' }, sure: true, size: new UnparsedInput('1e', 'no') })).toEqual(['size'])
})

test('starts new items with an empty value of their type', () => {
  expect(emptyValue({ type: 'string' }, schema)).toBe('')
  expect(emptyValue({ $ref: '#/definitions/Place' }, schema)).toEqual({ zip: '0' })
  expect(emptyValue({ type: 'integer' }, schema)).toBeUndefined()
  expect(emptyValue({ type: 'array', items: {} }, schema)).toEqual([])
})

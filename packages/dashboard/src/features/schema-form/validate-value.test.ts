import { expect, test } from 'vitest'
import { UnparsedInput } from './field-kind.ts'
import { parseNumberInput } from './json-input.ts'
import type { Schema } from './json-schema.ts'
import { findBranchIndex, validateValue } from './validate-value.ts'

const at = (field: Schema, value: unknown) => validateValue({ type: 'object', properties: { it: field } }, {}, { it: value }).it

test('validates bounds of numbers of any length', () => {
  expect(at({ type: 'integer', minimum: 3 }, 2)).toBe('At least 3')
  expect(at({ type: 'integer' }, 2.5)).toBe('Must be a whole number')
  expect(at({ type: 'number', exclusiveMaximum: 1 }, 1)).toBe('Less than 1')
  expect(at({ type: 'number', multipleOf: 0.1 }, 0.3)).toBeUndefined()
  expect(at({ type: 'integer', maximum: 10 }, parseNumberInput('12345678901234567890', 'integer'))).toBe('At most 10')
  expect(at({ type: 'integer' }, parseNumberInput('12345678901234567890', 'integer'))).toBeUndefined()
})

test('validates length, pattern and format of text', () => {
  expect(at({ type: 'string', minLength: 1 }, '')).toBe('Must not be empty')
  expect(at({ type: 'string', maxLength: 2 }, '🙂🙂')).toBeUndefined()
  expect(at({ type: 'string', pattern: '^a+$' }, 'ab')).toBe('Must match ^a+$')
  expect(at({ type: 'string', pattern: '(' }, 'x')).toBeUndefined()
  expect(at({ type: 'string', format: 'date' }, '2030-02-31x')).toBe('Must be a date')
  expect(at({ type: 'string', format: 'date-time' }, '2030-01-31T09:00:00+01:00')).toBeUndefined()
  expect(at({ type: 'string', format: 'duration' }, 'PT1H')).toBeUndefined()
})

test('reports nested errors by path', () => {
  const schema: Schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, list: { type: 'array', minItems: 1, items: { $ref: '#/$defs/Item' } } },
    additionalProperties: false,
    $defs: { Item: { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } } },
  }
  expect(validateValue(schema, schema, { list: [{ x: 1 }, {}, { x: 'y' }], other: 1 })).toEqual({
    a: 'Required',
    'list.1.x': 'Required',
    'list.2.x': 'Must be a whole number',
    other: 'Unknown field',
  })
  expect(validateValue(schema, schema, { a: '', list: [] })).toEqual({ list: 'At least one item' })
})

test('reports the errors of the best union branch', () => {
  const cat: Schema = { type: 'object', required: ['meow', 'kind'], properties: { kind: { const: 'cat' }, meow: { type: 'integer' } } }
  const dog: Schema = { type: 'object', required: ['bark', 'kind'], properties: { kind: { const: 'dog' }, bark: { type: 'integer' } } }
  const pet: Schema = { anyOf: [{ type: 'string' }, cat, dog] }
  const root = { type: 'object', properties: { pet } }
  expect(validateValue(root, root, { pet: 'rex' })).toEqual({})
  expect(validateValue(root, root, { pet: { kind: 'dog', bark: 'x' } })).toEqual({ 'pet.bark': 'Must be a whole number' })
  expect(findBranchIndex([{ type: 'string' }, cat, dog], root, { kind: 'dog' })).toBe(2)
  expect(findBranchIndex([{ type: 'string' }, { type: 'integer' }], root, 4)).toBe(1)
})

test('accepts null only where allowed and rejects unparsed input', () => {
  expect(at({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, null)).toBeUndefined()
  expect(at({ type: 'integer' }, null)).toBe('Must be a whole number')
  expect(at({}, null)).toBeUndefined()
  expect(at({ type: 'object' }, new UnparsedInput('{', 'Invalid JSON'))).toBe('Invalid JSON')
})

test('validates recursive schemas', () => {
  const tree: Schema = { $ref: '#/$defs/T', $defs: { T: { type: 'object', properties: { in: { $ref: '#/$defs/T' } }, additionalProperties: false } } }
  expect(validateValue(tree, tree, { in: { in: { out: 1 } } })).toEqual({ 'in.in.out': 'Unknown field' })
})

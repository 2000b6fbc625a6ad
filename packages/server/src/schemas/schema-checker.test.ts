import { expect, test } from 'vitest'
import type { SchemaOptions } from './refusal.ts'
import { SchemaChecker } from './schema-checker.ts'

const schema = {
  type: 'object',
  required: ['count'],
  properties: {
    count: { type: 'integer' },
    mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
    limits: { type: 'array', items: { type: 'number' } },
    required: { type: 'string' },
  },
}
const checker = new SchemaChecker()
const refusalOf = (schemaText: string, value: unknown, options?: SchemaOptions) => checker.check(schemaText, value, options)
const judge = (value: unknown, options?: SchemaOptions, of: object = schema) => refusalOf(JSON.stringify(of), value, options)

test.each<[string, unknown, SchemaOptions, string | undefined]>([
  ['what fits', { count: 1, limits: [1, 2.5] }, {}, undefined],
  ['a missing field is a fault of the whole', {}, {}, ''],
  ['unless a part will do', {}, { ignoreRequired: true }, undefined],
  ['a field by the name of a keyword is no keyword', { required: 5 }, { ignoreRequired: true }, 'required'],
  ['a wrong field', { count: 'many' }, {}, 'count'],
  ['deep inside', { count: 1, limits: [1, 'two'] }, {}, 'limits[1]'],
  ['null is not a list', { count: 1, limits: null }, {}, 'limits'],
  ['but an optional field of Pydantic 1 may be null', { count: 1, limits: null }, { mend: true }, undefined],
  ['not when it has a default', { count: 1, mode: null }, { mend: true }, 'mode'],
  ['unless that is asked for: only the words that it may be are left', { count: 1, mode: null }, { mend: true, nullForDefaults: true }, 'mode'],
  ['a required field stays required to be something', { count: null }, { mend: true, ignoreRequired: true }, 'count'],
])('%s', (_name, value, options, place) => {
  expect(judge(value, options)?.place).toBe(place)
})

test('says which words there are', () => {
  expect(judge({ count: 1, mode: 'medium' })?.reason).toContain('["fast","slow"]')
})

test('lists of items are tuples once mended', () => {
  const pair = { properties: { at: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } } }
  expect(judge({ at: [1, 'a'] }, { mend: true }, pair)).toBeUndefined()
  expect(judge({ at: ['a', 1] }, { mend: true }, pair)?.place).toBe('at[0]')
  expect(judge({ at: [1, 'a'] }, {}, pair)?.kind).toBe('schema')
})

test('a block may stand as its id once mended', () => {
  const withBlock = {
    properties: { store: { $ref: '#/definitions/Store' } },
    definitions: {
      Store: { title: 'Store', block_type_slug: 's3', type: 'object', required: ['bucket'], properties: { bucket: { type: 'string' } } },
    },
  }
  expect(judge({ store: { $ref: { block_document_id: 'x' } } }, { mend: true }, withBlock)).toBeUndefined()
  expect(judge({ store: { bucket: 'b' } }, { mend: true }, withBlock)).toBeUndefined()
  expect(judge({ store: {} }, { mend: true }, withBlock)?.place).toBe('store')
})

test('references lead into the schema; nothing is fetched', () => {
  expect(judge({ a: 'x' }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } })?.place).toBe('a')
  expect(judge({ a: 1 }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'string' } } })?.place).toBe('a')
  expect(judge({}, {}, { $ref: 'https://example.com/schema.json' })).toMatchObject({ kind: 'value', reason: expect.stringContaining('example.com') })
})

test('a reference that leads nowhere refuses the values that come there, and no others', () => {
  const schema = JSON.stringify({ properties: { a: { $ref: '#/definitions/A' }, b: { $ref: '#/definitions/B' }, c: { type: 'integer' } } })
  expect(refusalOf(schema, { c: 1 })).toBeUndefined()
  expect(refusalOf(schema, { c: 'x' })).toMatchObject({ place: 'c' })
  expect(refusalOf(schema, { b: 1 })).toMatchObject({
    kind: 'value',
    place: 'b',
    reason: 'cannot be checked: the reference #/definitions/B leads nowhere',
  })
})

test('a schema that leads back to itself is told from one that a value does not fit', () => {
  expect(judge({ a: 1 }, {}, { properties: { a: { allOf: [{ $ref: '#/properties/a' }] } } })?.kind).toBe('circular')
  const tree = { type: 'object', properties: { next: { $ref: '#' } } }
  expect(judge({ next: { next: {} } }, {}, { $defs: { tree }, ...tree })).toBeUndefined()
})

test('words that mean something to the validator alone mean nothing here', () => {
  const odd = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $async: true,
    id: 'x',
    nullable: true,
    properties: { id: { type: 'string', nullable: true } },
  }
  expect(judge({ id: 3 }, {}, odd)).toMatchObject({ kind: 'value', place: 'id' })
})

test('tells a bad schema', () => {
  expect(checker.checkSchema('{"type":"nonsense"}')).toMatchObject({ kind: 'schema', place: 'type' })
  expect(checker.checkSchema('{"properties":[]}')).toMatchObject({ kind: 'schema', place: 'properties' })
  expect(checker.checkSchema('{"type":"object"}')).toBeUndefined()
})

test('forgets the oldest of many schemas and still judges by them', () => {
  const numbered = (n: number) => ({ $id: 'same', properties: { [`p${n}`]: { type: 'integer' } } })
  for (let n = 0; n < 600; n += 1) expect(judge({ [`p${n}`]: 'x' }, {}, numbered(n))?.place).toBe(`p${n}`)
  expect(judge({ p0: 'x' }, {}, numbered(0))?.place).toBe('p0')
})

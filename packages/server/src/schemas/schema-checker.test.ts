import { describe, expect, test } from 'vitest'
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
const refusalFor = (value: unknown, options?: SchemaOptions, of: object = schema) => refusalOf(JSON.stringify(of), value, options)

test.each<[string, unknown, SchemaOptions, string | undefined]>([
  ['accepts a valid value', { count: 1, limits: [1, 2.5] }, {}, undefined],
  ['reports a missing field at the root', {}, {}, ''],
  ['accepts a missing field with ignoreRequired', {}, { ignoreRequired: true }, undefined],
  ['validates a field named like a keyword', { required: 5 }, { ignoreRequired: true }, 'required'],
  ['reports the path of an invalid field', { count: 'many' }, {}, 'count'],
  ['reports the path of a nested value', { count: 1, limits: [1, 'two'] }, {}, 'limits[1]'],
  ['rejects null for a list', { count: 1, limits: null }, {}, 'limits'],
  ['accepts null for an optional field of Pydantic 1', { count: 1, limits: null }, { acceptsPydantic1: true }, undefined],
  ['rejects null for a field with a default', { count: 1, mode: null }, { acceptsPydantic1: true }, 'mode'],
  [
    'rejects null for an enum with a default even with allowsNullForDefaults',
    { count: 1, mode: null },
    { acceptsPydantic1: true, allowsNullForDefaults: true },
    'mode',
  ],
  ['rejects null for a required field', { count: null }, { acceptsPydantic1: true, ignoreRequired: true }, 'count'],
])('%s', (_name, value, options, path) => {
  expect(refusalFor(value, options)?.path).toBe(path)
})

test('lists the allowed values of an enum', () => {
  expect(refusalFor({ count: 1, mode: 'medium' })?.reason).toContain('["fast","slow"]')
})

test('treats a list of items as a tuple with acceptsPydantic1', () => {
  const pair = { properties: { at: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } } }
  expect(refusalFor({ at: [1, 'a'] }, { acceptsPydantic1: true }, pair)).toBeUndefined()
  expect(refusalFor({ at: ['a', 1] }, { acceptsPydantic1: true }, pair)?.path).toBe('at[0]')
  expect(refusalFor({ at: [1, 'a'] }, {}, pair)?.kind).toBe('schema')
})

test('accepts a block by its id with acceptsPydantic1', () => {
  const withBlock = {
    properties: { store: { $ref: '#/definitions/Store' } },
    definitions: {
      Store: { title: 'Store', block_type_slug: 's3', type: 'object', required: ['bucket'], properties: { bucket: { type: 'string' } } },
    },
  }
  expect(refusalFor({ store: { $ref: { block_document_id: 'x' } } }, { acceptsPydantic1: true }, withBlock)).toBeUndefined()
  expect(refusalFor({ store: { bucket: 'b' } }, { acceptsPydantic1: true }, withBlock)).toBeUndefined()
  expect(refusalFor({ store: {} }, { acceptsPydantic1: true }, withBlock)?.path).toBe('store')
})

test('resolves references within the schema and fetches nothing', () => {
  expect(refusalFor({ a: 'x' }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } })?.path).toBe('a')
  expect(refusalFor({ a: 1 }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'string' } } })?.path).toBe('a')
  expect(refusalFor({}, {}, { $ref: 'https://example.com/schema.json' })).toMatchObject({
    kind: 'value',
    reason: expect.stringContaining('example.com'),
  })
})

test('rejects only the values that reach an unresolved reference', () => {
  const schema = JSON.stringify({ properties: { a: { $ref: '#/definitions/A' }, b: { $ref: '#/definitions/B' }, c: { type: 'integer' } } })
  expect(refusalOf(schema, { c: 1 })).toBeUndefined()
  expect(refusalOf(schema, { c: 'x' })).toMatchObject({ path: 'c' })
  expect(refusalOf(schema, { b: 1 })).toMatchObject({
    kind: 'value',
    path: 'b',
    reason: 'cannot be checked: unresolved reference #/definitions/B',
  })
})

test('keeps the unresolved reference of a parameter named like a keyword', () => {
  for (const name of ['default', 'enum', 'const', 'examples']) {
    const schema = { properties: { [name]: { $ref: '#/definitions/None' }, b: { type: 'integer' } } }
    expect(refusalFor({ b: 1 }, {}, schema)).toBeUndefined()
    expect(refusalFor({ [name]: 1 }, {}, schema)).toMatchObject({
      path: name,
      reason: expect.stringContaining('unresolved reference #/definitions/None'),
    })
  }
})

test('treats a default that looks like a reference as a value', () => {
  const schema = {
    properties: { a: { $ref: '#/$defs/None', default: { $ref: '#/$defs/None' } }, b: { type: 'object', default: { $ref: '#/$defs/None' } } },
  }
  expect(refusalFor({ b: {} }, {}, schema)).toBeUndefined()
  expect(refusalFor({ a: 1 }, {}, schema)?.path).toBe('a')
})

describe('the $id of a schema', () => {
  const metaschema = 'https://json-schema.org/draft/2020-12/schema'
  const ids = [
    metaschema,
    `${metaschema}#`,
    'https://json-schema.org/draft/2020-12/meta/core',
    'https://json-schema.org/draft/2020-12/meta/applicator',
  ]

  test.each(ids)('does not replace the metaschema: %s', (id) => {
    const attacks = [
      { $id: id, type: 'string' },
      { $id: id, properties: { a: { $ref: '#/definitions/None' } } },
      { type: 'string', $defs: { a: { $id: id, type: 'integer' } } },
      { type: 'string', properties: { a: { $id: id } } },
      { $id: id, $dynamicAnchor: 'meta', $ref: '#', $defs: { b: { $anchor: 'meta' } } },
    ]
    for (const attack of attacks) {
      refusalFor('x', {}, attack)
      expect(refusalFor({ count: 1 }), JSON.stringify(attack)).toBeUndefined()
      expect(refusalFor({ count: 'x' })?.path).toBe('count')
      expect(refusalFor({ n: 1 }, {}, { title: JSON.stringify(attack), properties: { n: { type: 'string' } } })?.path).toBe('n')
      expect(checker.checkSchema(`{"title":${JSON.stringify(id)},"type":"nonsense"}`)?.kind).toBe('schema')
    }
  })

  test('can be referenced within the schema, absolute, relative or by anchor', () => {
    const within = ($ref: string, $id: string | undefined, named: object) => ({
      ...($id ? { $id } : {}),
      properties: { a: { $ref } },
      $defs: { named },
    })
    const cases: [string, string | undefined, object][] = [
      ['https://x.example/whole', undefined, { $id: 'https://x.example/whole', type: 'integer' }],
      ['part', 'https://x.example/root', { $id: 'part', type: 'integer' }],
      ['https://x.example/part', 'https://x.example/root', { $id: 'part', type: 'integer' }],
      ['part', undefined, { $id: 'part', type: 'integer' }],
      ['#here', undefined, { $anchor: 'here', type: 'integer' }],
      ['#/$defs/named', metaschema, { type: 'integer' }],
    ]
    for (const [reference, id, named] of cases) {
      expect(refusalFor({ a: 1 }, {}, within(reference, id, named)), reference).toBeUndefined()
      expect(refusalFor({ a: 'x' }, {}, within(reference, id, named)), reference).toMatchObject({ path: 'a', reason: 'must be integer' })
    }
  })

  test('keeps references to the metaschema', () => {
    expect(refusalFor({ type: 'nonsense' }, {}, { $ref: metaschema })?.path).toBe('type')
    expect(refusalFor({ type: 'string' }, {}, { $ref: metaschema })).toBeUndefined()
  })
})

test('accepts a block by reference if its definition has no title', () => {
  const withBlock = {
    properties: { k: { $ref: '#/definitions/K' } },
    definitions: { K: { block_type_slug: 'k', type: 'object', required: ['a'] }, L: true, M: null },
  }
  expect(
    refusalFor(
      { k: { $ref: { block_document_id: 'x' } } },
      { acceptsPydantic1: true },
      { ...withBlock, definitions: { K: withBlock.definitions.K, L: true } },
    ),
  ).toBeUndefined()
  expect(refusalFor({}, { acceptsPydantic1: true }, withBlock)?.kind).toBe('schema')
})

test('keeps the required fields of schemas in lists, as in the v3 API', () => {
  const listed = { properties: { a: { anyOf: [{ type: 'object', required: ['b'] }] }, c: { type: 'object', required: ['d'] } } }
  expect(refusalFor({ a: {} }, { ignoreRequired: true }, listed)?.path).toBe('a')
  expect(refusalFor({ c: {} }, { ignoreRequired: true }, listed)).toBeUndefined()
})

test('reports a circular schema as circular', () => {
  expect(refusalFor({ a: 1 }, {}, { properties: { a: { allOf: [{ $ref: '#/properties/a' }] } } })?.kind).toBe('circular')
  const tree = { type: 'object', properties: { next: { $ref: '#' } } }
  expect(refusalFor({ next: { next: {} } }, {}, { $defs: { tree }, ...tree })).toBeUndefined()
})

test('ignores keywords that only Ajv has', () => {
  const odd = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $async: true,
    id: 'x',
    nullable: true,
    properties: { id: { type: 'string', nullable: true } },
  }
  expect(refusalFor({ id: 3 }, {}, odd)).toMatchObject({ kind: 'value', path: 'id' })
})

test('reports an invalid schema', () => {
  expect(checker.checkSchema('{"type":"nonsense"}')).toMatchObject({ kind: 'schema', path: 'type' })
  expect(checker.checkSchema('{"properties":[]}')).toMatchObject({ kind: 'schema', path: 'properties' })
  expect(checker.checkSchema('{"type":"object"}')).toBeUndefined()
})

test('validates by a schema that was evicted from the cache', () => {
  const numbered = (n: number) => ({ $id: 'same', properties: { [`p${n}`]: { type: 'integer' } } })
  for (let n = 0; n < 600; n += 1) expect(refusalFor({ [`p${n}`]: 'x' }, {}, numbered(n))?.path).toBe(`p${n}`)
  expect(refusalFor({ p0: 'x' }, {}, numbered(0))?.path).toBe('p0')
})

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
const judge = (value: unknown, options?: SchemaOptions, of: object = schema) => refusalOf(JSON.stringify(of), value, options)

test.each<[string, unknown, SchemaOptions, string | undefined]>([
  ['what fits', { count: 1, limits: [1, 2.5] }, {}, undefined],
  ['a missing field is a fault of the whole', {}, {}, ''],
  ['unless a part will do', {}, { ignoreRequired: true }, undefined],
  ['a field by the name of a keyword is no keyword', { required: 5 }, { ignoreRequired: true }, 'required'],
  ['a wrong field', { count: 'many' }, {}, 'count'],
  ['deep inside', { count: 1, limits: [1, 'two'] }, {}, 'limits[1]'],
  ['null is not a list', { count: 1, limits: null }, {}, 'limits'],
  ['but an optional field of Pydantic 1 may be null', { count: 1, limits: null }, { acceptsPydantic1: true }, undefined],
  ['not when it has a default', { count: 1, mode: null }, { acceptsPydantic1: true }, 'mode'],
  [
    'unless that is asked for: only the words that it may be are left',
    { count: 1, mode: null },
    { acceptsPydantic1: true, allowsNullForDefaults: true },
    'mode',
  ],
  ['a required field stays required to be something', { count: null }, { acceptsPydantic1: true, ignoreRequired: true }, 'count'],
])('%s', (_name, value, options, place) => {
  expect(judge(value, options)?.path).toBe(place)
})

test('says which words there are', () => {
  expect(judge({ count: 1, mode: 'medium' })?.reason).toContain('["fast","slow"]')
})

test('lists of items are tuples once mended', () => {
  const pair = { properties: { at: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } } }
  expect(judge({ at: [1, 'a'] }, { acceptsPydantic1: true }, pair)).toBeUndefined()
  expect(judge({ at: ['a', 1] }, { acceptsPydantic1: true }, pair)?.path).toBe('at[0]')
  expect(judge({ at: [1, 'a'] }, {}, pair)?.kind).toBe('schema')
})

test('a block may stand as its id once mended', () => {
  const withBlock = {
    properties: { store: { $ref: '#/definitions/Store' } },
    definitions: {
      Store: { title: 'Store', block_type_slug: 's3', type: 'object', required: ['bucket'], properties: { bucket: { type: 'string' } } },
    },
  }
  expect(judge({ store: { $ref: { block_document_id: 'x' } } }, { acceptsPydantic1: true }, withBlock)).toBeUndefined()
  expect(judge({ store: { bucket: 'b' } }, { acceptsPydantic1: true }, withBlock)).toBeUndefined()
  expect(judge({ store: {} }, { acceptsPydantic1: true }, withBlock)?.path).toBe('store')
})

test('references lead into the schema; nothing is fetched', () => {
  expect(judge({ a: 'x' }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } })?.path).toBe('a')
  expect(judge({ a: 1 }, {}, { $id: 'one', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'string' } } })?.path).toBe('a')
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

test('a parameter by the name of a keyword keeps its reference that leads nowhere', () => {
  for (const name of ['default', 'enum', 'const', 'examples']) {
    const schema = { properties: { [name]: { $ref: '#/definitions/None' }, b: { type: 'integer' } } }
    expect(judge({ b: 1 }, {}, schema)).toBeUndefined()
    expect(judge({ [name]: 1 }, {}, schema)).toMatchObject({ place: name, reason: expect.stringContaining('#/definitions/None leads nowhere') })
  }
})

test('a default that looks like a reference is a value', () => {
  const schema = {
    properties: { a: { $ref: '#/$defs/None', default: { $ref: '#/$defs/None' } }, b: { type: 'object', default: { $ref: '#/$defs/None' } } },
  }
  expect(judge({ b: {} }, {}, schema)).toBeUndefined()
  expect(judge({ a: 1 }, {}, schema)?.path).toBe('a')
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
      judge('x', {}, attack)
      expect(judge({ count: 1 }), JSON.stringify(attack)).toBeUndefined()
      expect(judge({ count: 'x' })?.path).toBe('count')
      expect(judge({ n: 1 }, {}, { title: JSON.stringify(attack), properties: { n: { type: 'string' } } })?.path).toBe('n')
      expect(checker.checkSchema(`{"title":${JSON.stringify(id)},"type":"nonsense"}`)?.kind).toBe('schema')
    }
  })

  test('can be referred to within the schema, absolute or relative, and by anchor', () => {
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
      expect(judge({ a: 1 }, {}, within(reference, id, named)), reference).toBeUndefined()
      expect(judge({ a: 'x' }, {}, within(reference, id, named)), reference).toMatchObject({ place: 'a', reason: 'must be integer' })
    }
  })

  test('leaves references to the metaschema itself as they are', () => {
    expect(judge({ type: 'nonsense' }, {}, { $ref: metaschema })?.path).toBe('type')
    expect(judge({ type: 'string' }, {}, { $ref: metaschema })).toBeUndefined()
  })
})

test('a block of a definition without a title can be given by reference', () => {
  const withBlock = {
    properties: { k: { $ref: '#/definitions/K' } },
    definitions: { K: { block_type_slug: 'k', type: 'object', required: ['a'] }, L: true, M: null },
  }
  expect(
    judge(
      { k: { $ref: { block_document_id: 'x' } } },
      { acceptsPydantic1: true },
      { ...withBlock, definitions: { K: withBlock.definitions.K, L: true } },
    ),
  ).toBeUndefined()
  expect(judge({}, { acceptsPydantic1: true }, withBlock)?.kind).toBe('schema')
})

test('schemas in lists keep what they require, as in the v3 API', () => {
  const listed = { properties: { a: { anyOf: [{ type: 'object', required: ['b'] }] }, c: { type: 'object', required: ['d'] } } }
  expect(judge({ a: {} }, { ignoreRequired: true }, listed)?.path).toBe('a')
  expect(judge({ c: {} }, { ignoreRequired: true }, listed)).toBeUndefined()
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
  for (let n = 0; n < 600; n += 1) expect(judge({ [`p${n}`]: 'x' }, {}, numbered(n))?.path).toBe(`p${n}`)
  expect(judge({ p0: 'x' }, {}, numbered(0))?.path).toBe('p0')
})

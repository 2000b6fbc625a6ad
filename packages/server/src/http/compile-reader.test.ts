import {
  defaulted,
  FreeObject,
  Labels,
  model,
  nullable,
  orNull,
  PathName,
  parameters,
  Tags,
  Text,
  Time,
  Uuid,
} from '@millrace/contracts/primitives.ts'
import Type, { type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../errors.ts'
import { jsonText, parseJson } from '../lib/json.ts'
import { compileReader } from './compile-reader.ts'

function read(schema: TSchema, text: string): { value: unknown; faults: [string, string][] } {
  const faults: Fault[] = []
  const value = compileReader(schema)(parseJson(text), ['body'], faults)
  return { value, faults: faults.map(({ loc, type }) => [loc.join('.'), type]) }
}

describe('scalars', () => {
  test.each<[string, TSchema, string, unknown]>([
    ['an integer as text', Type.Integer(), '"2"', 2],
    ['an integer with a point', Type.Integer(), '2.0', 2],
    ['true as an integer', Type.Integer(), 'true', 1],
    ['a number as text', Type.Number(), '"1.5e3"', 1500],
    ['yes', Type.Boolean(), '"YES"', true],
    ['zero', Type.Boolean(), '0', false],
    ['a uuid without dashes', Uuid, '"0198C1C2AAAA7BBB8CCC000000000000"', '0198c1c2-aaaa-7bbb-8ccc-000000000000'],
    ['a time with a zone', Time, '"2031-02-01T10:00:00+01:00"', '2031-02-01T09:00:00.000000Z'],
    ['a time as seconds', Time, '1731628800', '2024-11-15T00:00:00.000000Z'],
    ['null where it may be', nullable(Type.Integer()), 'null', null],
  ])('are coerced: %s', (_name, schema, text, value) => {
    expect(read(schema, text)).toEqual({ value, faults: [] })
  })

  test.each<[string, TSchema, string, string]>([
    ['a fraction', Type.Integer(), '1.5', 'int_from_float'],
    ['words', Type.Integer(), '"two"', 'int_parsing'],
    ['null', Type.Integer(), 'null', 'int_type'],
    ['beyond what is exact', Type.Integer(), '12345678901234567890', 'int_parsing_size'],
    ['infinity', Type.Number(), '1e999', 'finite_number'],
    ['too small', Type.Integer({ minimum: 0 }), '-1', 'greater_than_equal'],
    ['not above', Type.Integer({ exclusiveMinimum: 0 }), '0', 'greater_than'],
    ['too large', Type.Integer({ maximum: 50 }), '51', 'less_than_equal'],
    ['maybe', Type.Boolean(), '"maybe"', 'bool_parsing'],
    ['a number for text', Text, '7', 'string_type'],
    ['NUL', Text, '"a\\u0000b"', 'string_unicode'],
    ['half a character', Text, '"\\ud800"', 'string_unicode'],
    ['a slash in a name', PathName, '"a/b"', 'string_pattern_mismatch'],
    ['no name', PathName, '""', 'string_too_short'],
    ['no uuid', Uuid, '"x"', 'uuid_parsing'],
    ['no time', Time, '"tomorrow"', 'value_error'],
    ['a list for a time', Time, '[]', 'value_error'],
    ['half of true', Type.Boolean(), '1.5', 'bool_type'],
    ['an integer with nothing after its point', Type.Integer(), '"1."', 'int_parsing'],
    ['a word that is not offered', Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), '"c"', 'enum'],
  ])('are rejected: %s', (_name, schema, text, type) => {
    expect(read(schema, text).faults).toEqual([['body', type]])
  })
})

describe('objects', () => {
  const Thing = model('Thing', { name: PathName, tags: defaulted(Tags, []), size: orNull(Type.Integer()), free: defaulted(FreeObject, {}) })

  test('get their own copy of each default', () => {
    const first = read(Thing, '{"name":"x"}').value as { tags: string[] }
    first.tags.push('changed')
    expect(read(Thing, '{"name":"x"}').value).toEqual({ name: 'x', tags: [], size: null, free: {} })
  })

  test('report all faults', () => {
    expect(read(Thing, '{"tags":"red","size":"many","colour":1}').faults).toEqual([
      ['body.name', 'missing'],
      ['body.tags', 'list_type'],
      ['body.size', 'int_parsing'],
      ['body.colour', 'extra_forbidden'],
    ])
  })

  test('drop outdated keys and reject other unknown keys', () => {
    const schema = model('Cog', { teeth: Type.Integer() }, ['colour'])
    expect(read(schema, '{"teeth": 3, "colour": "red"}')).toEqual({ value: { teeth: 3 }, faults: [] })
    expect(read(schema, '{"teeth": 3, "shape": "round"}').faults).toEqual([['body.shape', 'extra_forbidden']])
  })

  test('do not replace null by the default if the body is one object', () => {
    expect(read(Thing, '{"name":"x","tags":null}').faults).toEqual([['body.tags', 'list_type']])
  })

  test('replace null by the default and ignore unknown keys in a body of parameters', () => {
    const Body = parameters({ offset: defaulted(Type.Integer({ minimum: 0 }), 0), things: orNull(Thing), state: Text })
    expect(read(Body, '{"offset":null,"things":null,"state":"s","page":2}')).toEqual({ value: { offset: 0, things: null, state: 's' }, faults: [] })
    expect(read(Body, '{}').faults).toEqual([['body.state', 'missing']])
    expect(read(Body, '{"state":null}').faults).toEqual([['body.state', 'missing']])
  })

  test('keep free JSON as it is', () => {
    const { free } = read(Thing, '{"name":"x","free":{"10":1,"2":1.0,"big":12345678901234567890}}').value as { free: object }
    expect(jsonText(free)).toBe('{"10":1,"2":1.0,"big":12345678901234567890}')
  })

  test('keep the types of labels', () => {
    expect(read(Labels, '{"a":true,"b":3,"c":1.5,"d":"x","e":1.0}').value).toEqual({ a: true, b: 3, c: 1.5, d: 'x', e: 1 })
    expect(read(Labels, '{"deep":[]}').faults.map(([place]) => place)).toEqual(['body.deep'])
  })

  test('report the faults of the union member whose constant fields match', () => {
    const Either = Type.Union([
      model('Cat', { type: Type.Literal('cat'), lives: Type.Integer() }),
      model('Dog', { type: Type.Literal('dog'), tricks: Tags }),
    ])
    expect(read(Either, '{"type":"dog","tricks":["sit"]}').value).toEqual({ type: 'dog', tricks: ['sit'] })
    expect(read(Either, '{"type":"dog","tricks":3}').faults).toEqual([['body.tricks', 'list_type']])
  })
})

describe('hostile input', () => {
  const Names = model('Names', { names: Tags, sizes: Type.Record(Type.String(), Type.Integer()) })

  test('stops after a hundred faults', () => {
    const many = (piece: (index: number) => string) => Array.from({ length: 1000 }, (_, index) => piece(index)).join(',')
    expect(read(Names, `{"names":[${many(() => '1')}],"sizes":{}}`).faults).toHaveLength(100)
    expect(read(Names, `{"names":[],"sizes":{${many((index) => `"k${index}":"x"`)}}}`).faults).toHaveLength(100)
    expect(read(Names, `{"names":[],"sizes":{},${many((index) => `"k${index}":1`)}}`).faults).toHaveLength(100)
  })

  test('tries a recursive union once per value', () => {
    const branch = (name: string) => model(name, { inner: Type.Array(Type.Integer()) })
    const branches = [branch('Left'), branch('Right')]
    const Tree = Type.Union([...branches, Type.Integer()])
    for (const { properties } of branches) Object.assign(properties.inner, { items: Tree })
    const depth = 40
    expect(read(Tree, `${'{"inner":['.repeat(depth)}"x"${']}'.repeat(depth)}`).faults).toEqual([
      [`body${'.inner.0'.repeat(depth)}`, 'model_attributes_type'],
    ])
    expect(read(Tree, `${'{"inner":['.repeat(depth)}7${']}'.repeat(depth)}`).faults).toEqual([])
  })

  test('rejects a very long text as number, time or id', () => {
    const long = JSON.stringify('1'.repeat(1000))
    for (const schema of [Type.Integer(), Type.Number(), Time, Uuid, Type.Boolean()]) expect(read(schema, long).faults).toHaveLength(1)
  })
})

import { readdir } from 'node:fs/promises'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { FlowRunCreate } from './flow-run.ts'
import { defaulted, model, nullable, orNull, publishedDefault, type Received, Text } from './primitives.ts'

type Schema = Record<string, unknown> & { $id?: string; properties?: Record<string, Schema>; required?: string[]; enum?: unknown[] }

const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const modules = await Promise.all(files.map((file) => import(`./${file}`) as Promise<Record<string, unknown>>))
const exported = modules.flatMap((exports) => Object.entries(exports)).filter((entry): entry is [string, Schema] => isSchema(entry[1]))
const allSchemas = [...new Set(exported.flatMap(([, schema]) => listNestedSchemas(schema)))]
const namedSchemas = allSchemas.filter((schema) => schema.$id !== undefined)
const bodies = exported.filter(([, schema]) => schema['x-parameters'] === true)
const fields = allSchemas.flatMap((schema) =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({ where: `${schema.$id ?? '(unnamed)'}.${name}`, name, field, schema })),
)

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema and all nested schemas. Trigger schemas are recursive, so visited ones are skipped. */
function listNestedSchemas(schema: Schema, met = new Set<Schema>()): Schema[] {
  if (met.has(schema)) return []
  met.add(schema)
  const inner = [schema.properties, schema.patternProperties].flatMap((map) => Object.values((map ?? {}) as Record<string, Schema>))
  const lists = [schema.anyOf, schema.prefixItems].flatMap((list) => (list ?? []) as Schema[])
  const single = [schema.items, schema.additionalProperties].filter(isSchema)
  return [schema, ...[...inner, ...lists, ...single].flatMap((part) => listNestedSchemas(part, met))]
}

/** A named schema as text, with nested named schemas by name only. Annotations of the enclosing field are ignored. */
function shapeOf(schema: Schema): string {
  const { default: _default, deprecated: _deprecated, 'x-unset': _unset, 'x-default': _published, ...shape } = schema
  return JSON.stringify(shape, (key, value) =>
    key !== '' && isSchema(value) && value.$id !== undefined ? { $ref: value.$id, default: value.default } : value,
  )
}

const isUnknownRefused = (schema: Schema) => schema.additionalProperties === false

test('every file has something to say', () => {
  expect(modules.filter((exports) => Object.keys(exports).length === 0)).toEqual([])
  expect(namedSchemas.length).toBeGreaterThan(250)
  expect(bodies.length).toBeGreaterThan(60)
})

test('a name means one shape', () => {
  const shapes = Map.groupBy(namedSchemas, (schema) => schema.$id)
  const ambiguous = [...shapes].filter(([, schemas]) => new Set(schemas.map(shapeOf)).size > 1).map(([name]) => name)
  expect(ambiguous).toEqual([])
})

test('a shape is exported under its name', () => {
  const misnamed = exported.filter(([name, schema]) => schema.$id !== undefined && schema.$id !== name).map(([name]) => name)
  expect(misnamed).toEqual([])
})

describe('unknown keys', () => {
  const lenient = ['QueueFilter', 'SavedSearchFilter', 'TaskWorkerFilter', 'ServerDefaultResultStorageUpdate']
  const written = namedSchemas.filter((schema) => /(Filter\w*|Create|Update)$/.test(schema.$id ?? ''))

  test('are refused by filters and by what is created and updated', () => {
    const careless = written.filter((schema) => !isUnknownRefused(schema)).map((schema) => schema.$id)
    expect([...new Set(careless)].sort()).toEqual(lenient.sort())
  })

  test('are ignored in bodies of named parameters', () => {
    expect(bodies.filter(([, schema]) => isUnknownRefused(schema) || schema.$id !== undefined)).toEqual([])
  })
})

test('sets of words are neither empty nor repetitive', () => {
  const wrong = allSchemas.filter(({ enum: words }) => words && (words.length === 0 || new Set(words).size < words.length))
  expect(wrong).toEqual([])
})

describe('defaults', () => {
  const withDefault = fields.filter(({ field }) => 'default' in field)

  test('fit their fields', () => {
    const unfit = withDefault.filter(({ field }) => !Check(field, field.default)).map(({ where }) => where)
    expect(unfit).toEqual([])
  })

  test('make their fields optional', () => {
    const contradictory = withDefault.filter(({ name, schema }) => schema.required?.includes(name)).map(({ where }) => where)
    expect(contradictory).toEqual([])
  })

  test('of a part in a body are complete', () => {
    const parts = withDefault.filter(({ field }) => field.properties && field.default !== null)
    const lacking = parts.flatMap(({ where, field }) =>
      Object.entries(field.properties ?? {}).flatMap(([name, inner]) =>
        'default' in inner && !(name in (field.default as object)) ? [`${where}.${name}`] : [],
      ),
    )
    expect(lacking).toEqual([])
  })
})

test('text that clients send has no NUL characters', () => {
  const sent = [
    ...new Set([...namedSchemas.filter(isUnknownRefused), ...bodies.map(([, schema]) => schema)].flatMap((schema) => listNestedSchemas(schema))),
  ]
  const texts = sent.filter((schema) => schema.type === 'string')
  const isGuarded = (schema: Schema) => ['x-text', 'format', 'pattern', 'enum', 'const'].some((key) => key in schema)
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((schema) => !isGuarded(schema))).toEqual([])
})

test('the server has every field that it fills in', () => {
  const sample = model('Sample', {
    required: Text,
    nullable: nullable(Text),
    filled: defaulted(Type.Integer(), 1),
    orNull: orNull(Text),
    absent: Type.Optional(Text),
    unset: publishedDefault(Type.Boolean(), true),
  })
  type Sample = Received<typeof sample>
  expectTypeOf<Sample>().toEqualTypeOf<{
    required: string
    nullable: string | null
    filled: number
    orNull: string | null
    absent?: string
    unset?: boolean
  }>()
  expectTypeOf<Sample>().toExtend<Type.Static<typeof sample>>()
  expectTypeOf<FlowRunCreate['tags']>().toEqualTypeOf<string[] | undefined>()
  expect(sample.required).toEqual(['required', 'nullable'])
  expect(sample.properties.unset).toMatchObject({ default: true, 'x-unset': true })
})

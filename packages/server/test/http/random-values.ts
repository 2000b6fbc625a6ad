import type { Random } from '../../src/lib/random.ts'

/** A JSON Schema of the OpenAPI document, as far as values are made from it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
}

/** Makes random values of a seed. */
export interface RandomValues {
  /** A value of the schema, or close to one: combinations that only the server knows are left to it. */
  valid(schema: Schema, depth?: number): unknown
  /** A value of the schema in which one part is replaced by something else. */
  invalid(schema: Schema): unknown
  /** A value for a path or a query, valid or not. */
  text(schema: Schema): string
  pick<T>(values: readonly T[]): T
  chance(probability: number): boolean
}

const depthMax = 4

/** Texts that break careless code: SQL, wildcards, JSON, paths, control and astral characters, lone surrogates. */
const oddTexts = [
  '',
  ' ',
  '0',
  'a',
  'null',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '%%',
  '../..',
  "x' or 1=1 --",
  '\u0000',
  '\ud800',
  '😀',
  'é',
  '*',
  '[',
  '{{ x }}',
  'ﬀ',
  'a'.repeat(300),
]
const oddNumbers = [0, -0, 1, -1, 2, 100, 0.5, 1e-9, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 63, -(2 ** 63), 1e308, 1e25]
const oddTimes = [
  '2030-01-01T00:00:00Z',
  '2030-01-01T00:00:00.123456+05:45',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '1969-12-31T23:59:59Z',
  '2024-02-29',
]
const oddValues: readonly unknown[] = [null, true, false, [], {}, [null], { '': null }, { a: { b: [1, { c: 'd' }] } }, ...oddTexts, ...oddNumbers]

export function createRandomValues(random: Random, schemas: Readonly<Record<string, Schema>>, ids: readonly string[]): RandomValues {
  const chance = (probability: number): boolean => random.next() < probability
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T
  const times = (max: number): number => Math.floor(random.next() * (max + 1))
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] as Schema)

  function textOf({ format, pattern, minLength = 0, maxLength }: Schema): string {
    if (format === 'uuid') return pick(ids)
    if (format === 'date-time') return pick(oddTimes)
    if (pattern !== undefined || chance(0.5)) return 'abcdefgh'.slice(0, Math.max(1, minLength, times(Math.min(8, maxLength ?? 8))))
    const text = pick(oddTexts).slice(0, maxLength)
    return text.length >= minLength ? text : 'a'.repeat(minLength)
  }

  function numberOf({ type, minimum, exclusiveMinimum }: Schema): number {
    const lowest = Math.max(minimum ?? -Infinity, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1)
    const value = pick(oddNumbers)
    const fitting = type === 'integer' ? Math.trunc(value) : value
    return fitting >= lowest ? fitting : lowest
  }

  function valid(given: Schema, depth = 0): unknown {
    const schema = resolve(given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(schema.enum)
    if (schema.anyOf) {
      const isDeep = depth >= depthMax
      const simple = schema.anyOf.filter((one) => resolve(one).type !== 'object' && resolve(one).type !== 'array')
      return valid(pick(isDeep && simple.length > 0 ? simple : schema.anyOf), depth)
    }
    switch (schema.type) {
      case 'string':
        return textOf(schema)
      case 'integer':
      case 'number':
        return numberOf(schema)
      case 'boolean':
        return chance(0.5)
      case 'null':
        return null
      case 'array':
        return Array.from({ length: Math.max(schema.minItems ?? 0, depth >= depthMax ? 0 : times(3)) }, () => valid(schema.items ?? {}, depth + 1))
      case 'object': {
        const { properties = {}, required = [] } = schema
        const names = Object.keys(properties)
        // Most optional fields of a large schema are left out, so that one bad field does not hide all others.
        const share = depth >= depthMax ? 0 : Math.min(0.6, 4 / Math.max(1, names.length))
        const used = names.filter((name) => required.includes(name) || chance(share))
        const fields = used.map((name) => [name, valid(properties[name] as Schema, depth + 1)])
        return Object.fromEntries(names.length === 0 && chance(0.5) ? [[pick(oddTexts), pick(oddValues)]] : fields)
      }
      default:
        return pick(oddValues)
    }
  }

  /** Replaces a random part of a value. */
  function damage(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || chance(0.2)) return pick(oddValues)
    const keys = Object.keys(value)
    if (keys.length === 0) return Array.isArray(value) ? [pick(oddValues)] : { unknown_field: pick(oddValues) }
    const key = pick(keys)
    const changed = { ...value, [key]: damage((value as Record<string, unknown>)[key]) }
    if (chance(0.2)) delete (changed as Record<string, unknown>)[key]
    return Array.isArray(value) ? Object.values(changed) : changed
  }

  return {
    chance,
    pick,
    valid,
    invalid: (schema) => damage(valid(schema)),
    text(schema) {
      const value = chance(0.7) ? valid(schema, depthMax) : pick(oddValues)
      return typeof value === 'string' ? value : JSON.stringify(value)
    },
  }
}

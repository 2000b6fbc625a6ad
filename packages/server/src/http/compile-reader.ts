import type { TSchema } from 'typebox'
import type { Fault } from '../errors.ts'
import { ExactNumber, isJsonObject } from '../lib/json-exact.ts'
import { compileFieldReader, type Field } from './field-reader.ts'
import { prefixFaults, type Read, readScalar, type Scalar } from './read-scalar.ts'

/**
 * Reads input by a schema of the contracts, as leniently as the v3 API does, and reports all faults. One pass coerces, sets defaults and validates. A
 * validator such as Ajv needs three passes (coerce, validate, translate the errors), which all have to choose the same branch of every union
 * (ADR 0005). A schema is compiled once into closures.
 */
export type Reader = (value: unknown, loc: readonly (string | number)[], faults: Fault[]) => unknown

/** Maximum number of reported faults, so that a list of a million invalid items costs neither time nor a large response. */
const faultsMax = 100

export const isFaultLimitReached = (faults: readonly Fault[]): boolean => faults.length >= faultsMax

/** The JSON Schema keywords that the contracts use, and our annotations. */
interface PlainSchema {
  readonly type?: string
  readonly anyOf?: readonly TSchema[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: boolean | TSchema
  readonly required?: readonly string[]
  readonly items?: TSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly 'x-free'?: boolean
  readonly 'x-items-max'?: number
  readonly 'x-characters-max'?: number
  readonly 'x-parameters'?: boolean
  readonly 'x-outdated'?: readonly string[]
}

export const plainSchema = (schema: TSchema): PlainSchema => schema as PlainSchema

interface CompileState {
  readonly readers: WeakMap<object, Read>
}

/** Shared by all routes and servers of a process: routes repeat the same schemas, and compiling them again took a third of a server's start. */
const shared: CompileState = { readers: new WeakMap() }

export function compileReader(schema: TSchema): Reader {
  const read = compile(schema, shared)
  return (value, loc, faults) => {
    const before = faults.length
    const made = read(value, faults)
    if (faults.length > before) prefixFaults(faults, before, loc)
    return made
  }
}

function compile(schema: TSchema, compiling: CompileState): Read {
  const compiled = compiling.readers.get(schema)
  if (compiled) return compiled
  // Recursive schemas (compound triggers) get a forward reference.
  let made: Read | undefined
  compiling.readers.set(schema, (value, faults) => (made as Read)(value, faults))
  made = build(schema, compiling)
  compiling.readers.set(schema, made)
  return made
}

function build(schema: TSchema, compiling: CompileState): Read {
  const plain = plainSchema(schema)
  if (plain['x-free']) return plain.type === 'object' ? readFreeObject : (value) => value
  if (plain.$ref) throw new Error(`$ref is not supported: ${plain.$ref}`)
  if (plain.anyOf) return readUnion(plain.anyOf, compiling)
  if (plain.patternProperties || (plain.type === 'object' && !plain.properties && plain.additionalProperties)) return readRecord(plain, compiling)
  if (plain.type === 'object') return readObject(plain, compiling)
  if (plain.type === 'array') return readList(plain, compiling)
  return readScalar(plain as Scalar)
}

const readFreeObject: Read = (value, faults) => {
  if (isJsonObject(value)) return value
  faults.push({ loc: [], type: 'dict_type', msg: 'Input should be a valid dictionary', input: value })
  return undefined
}

function readObject(schema: PlainSchema, compiling: CompileState): Read {
  const required = new Set(schema.required ?? [])
  const isParameters = schema['x-parameters'] === true
  const strict = schema.additionalProperties === false
  const keepsUnknown = schema.additionalProperties === true
  const fields: Field[] = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    read: compile(property, compiling),
    required: required.has(name),
    fallback: 'default' in property && !('x-unset' in property) ? defaultOf((property as { default: unknown }).default) : undefined,
  }))
  const names = new Set([...fields.map((field) => field.name), ...(schema['x-outdated'] ?? [])])

  const readFields = compileFieldReader(fields, isParameters)

  return (value, faults) => {
    if (!isJsonObject(value)) {
      faults.push({
        loc: [],
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input: value,
      })
      return undefined
    }
    const made: Record<string, unknown> = keepsUnknown ? { ...value } : {}
    readFields(value, made, faults)
    if (strict) {
      for (const name in value) {
        if (names.has(name)) continue
        if (isFaultLimitReached(faults)) break
        faults.push({ loc: [name], type: 'extra_forbidden', msg: 'Extra inputs are not permitted', input: value[name] })
      }
    }
    return made
  }
}

/** Copies mutable defaults, so that callers cannot change them. They are plain JSON, for which `structuredClone` takes ten times as long. */
function defaultOf(value: unknown): () => unknown {
  if (value === null || typeof value !== 'object') return () => value
  const items = Object.entries(value).map(([name, item]) => [name, defaultOf(item)] as const)
  if (Array.isArray(value)) return () => items.map(([, item]) => item())
  return () => {
    const copy: Record<string, unknown> = {}
    for (const [name, item] of items) copy[name] = item()
    return copy
  }
}

function readRecord(schema: PlainSchema, compiling: CompileState): Read {
  const inner = Object.values(schema.patternProperties ?? {})[0] ?? (schema.additionalProperties as TSchema)
  const read = typeof inner === 'object' ? compile(inner, compiling) : (value: unknown) => value
  const required = schema.required ?? []
  const { 'x-items-max': max = itemsMax } = schema
  return (value, faults) => {
    if (!isJsonObject(value)) {
      faults.push({ loc: [], type: 'dict_type', msg: 'Input should be a valid dictionary', input: value })
      return undefined
    }
    const size = Object.keys(value).length
    if (size > max) {
      faults.push(tooMany(max, size, 'Dictionary'))
      return undefined
    }
    for (const name of required) {
      if (!(name in value)) faults.push({ loc: [name], type: 'missing', msg: 'Field required', input: value })
    }
    const made: [string, unknown][] = []
    for (const key in value) {
      if (isFaultLimitReached(faults)) return undefined
      const before = faults.length
      made.push([key, read(value[key], faults)])
      if (faults.length > before) prefixFaults(faults, before, [key])
    }
    return Object.fromEntries(made)
  }
}

/** Maximum number of items in one list or object. Filters and tags have lower limits of their own. */
const itemsMax = 50_000

const tooMany = (max: number, actual: number, kind: 'List' | 'Dictionary'): Fault => ({
  loc: [],
  type: 'too_long',
  msg: `${kind} should have at most ${max} items`,
  ctx: { max_length: max, actual_length: actual },
})

const totalCharacters = (texts: readonly unknown[]): number =>
  texts.reduce((sum: number, text) => sum + (typeof text === 'string' ? text.length : 0), 0)

function readList(schema: PlainSchema, compiling: CompileState): Read {
  const read = compile(schema.items as TSchema, compiling)
  const { minItems, maxItems = schema['x-items-max'] ?? itemsMax, 'x-characters-max': charactersMax } = schema
  return (value, faults) => {
    if (!Array.isArray(value)) {
      faults.push({ loc: [], type: 'list_type', msg: 'Input should be a valid list', input: value })
      return undefined
    }
    if (minItems !== undefined && value.length < minItems) {
      faults.push({ loc: [], type: 'too_short', msg: `List should have at least ${minItems} items`, input: value, ctx: { min_length: minItems } })
    }
    if (value.length > maxItems) {
      faults.push(tooMany(maxItems, value.length, 'List'))
      return undefined
    }
    const made: unknown[] = []
    for (let index = 0; index < value.length; index += 1) {
      if (isFaultLimitReached(faults)) return undefined
      const before = faults.length
      made.push(read(value[index], faults))
      if (faults.length > before) prefixFaults(faults, before, [index])
    }
    const characters = charactersMax === undefined ? 0 : totalCharacters(value)
    if (charactersMax !== undefined && characters > charactersMax) {
      const msg = `List should have at most ${charactersMax} characters in all`
      faults.push({ loc: [], type: 'too_long', msg, ctx: { max_length: charactersMax, actual_length: characters } })
      return undefined
    }
    return made
  }
}

interface Member {
  readonly read: Read
  readonly schema: PlainSchema
}

/** Uses the first member that accepts the value without coercion, else the first that accepts it at all. */
function readUnion(members: readonly TSchema[], compiling: CompileState): Read {
  const all: Member[] = members.map((member) => ({ read: compile(member, compiling), schema: plainSchema(member) }))
  const nullable = all.some(({ schema }) => schema.type === 'null')
  const others = all.filter(({ schema }) => schema.type !== 'null')
  if (others.length === 1) {
    const { read } = others[0] as Member
    return nullable ? (value, faults) => (value === null ? null : read(value, faults)) : read
  }
  // Caches results: a recursive union (triggers of triggers) would be tried for every path to it, which takes 2 ms at depth 5 and never ends at 50.
  const attempts = new WeakMap<object, UnionAttempt>()
  return (value, faults) => {
    if (value === null && nullable) return null
    const isContainer = typeof value === 'object' && value !== null
    const attempt = (isContainer && attempts.get(value)) || readBestMember(others, value)
    if (isContainer) attempts.set(value, attempt)
    faults.push(...attempt.faults)
    return attempt.made
  }
}

interface UnionAttempt {
  readonly made: unknown
  readonly faults: readonly Fault[]
}

function readBestMember(members: readonly Member[], value: unknown): UnionAttempt {
  let best: Fault[] = []
  for (const { read } of bySuitability(members, value)) {
    const faults: Fault[] = []
    const made = read(value, faults)
    if (faults.length === 0) return { made, faults }
    if (best.length === 0) best = faults
  }
  return { made: undefined, faults: best }
}

/** Sorts members of the value's type first; among objects, those whose constant fields (`type: 'event'`) match. */
function bySuitability(members: readonly Member[], value: unknown): Member[] {
  return [...members].sort((a, b) => suitability(b, value) - suitability(a, value))
}

function suitability({ schema }: Member, sent: unknown): number {
  const value = sent instanceof ExactNumber ? sent.value : sent
  if (isJsonObject(value)) {
    if (schema.type !== 'object') return schema['x-free'] ? 0 : -1
    let score = 1
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const { const: fixed } = plainSchema(property)
      if (fixed !== undefined && name in value) score += value[name] === fixed ? 100 : -100
      else if (name in value) score += 1
      else if (schema.required?.includes(name)) score -= 10
    }
    return score
  }
  if (typeof value === 'boolean') return schema.type === 'boolean' ? 2 : 0
  if (typeof value === 'number') return schema.type === 'integer' && Number.isInteger(value) ? 3 : schema.type === 'number' ? 2 : 0
  if (typeof value === 'string') return schema.type === 'string' ? 2 : 0
  if (Array.isArray(value)) return schema.type === 'array' ? 2 : 0
  return 0
}

import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { LruCache } from '../lib/lru-cache.ts'
import { adaptSchema } from './adapt-schema.ts'
import { type CompiledSchema, compileMetaschema, compileSchema } from './compile-schema.ts'
import { formats } from './formats.ts'
import type { Phase } from './refusal.ts'
import { tooDeepMessage, truncate } from './schema-checker.ts'

/** One thing that is wrong with a value, and where. */
export interface Fault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The schema itself is no good. */
export class InvalidSchema extends Error {}

/** Every error with the schema that it comes from: a form shows each error at its field. */
const ajvOptions = { allErrors: true, verbose: true, formats }

/** A form asks again at every change of a field. */
const cacheLimits = { entriesMax: 64, weightMax: 256 * 1024 }

/** More faults do not help anybody. */
export const faultsMax = 500

/** Judges the values of a form and finds all faults, where SchemaChecker stops at the first. */
export class FormChecker {
  readonly #compiled = new LruCache<string, CompiledSchema>(cacheLimits)
  readonly #enter: (phase: Phase) => void
  #metaschema: ValidateFunction | undefined

  constructor(enter: (phase: Phase) => void = () => {}) {
    this.#enter = enter
  }

  /** What is wrong with the values by a schema, which is JSON text. Throws a BadSchema. */
  check(schemaText: string, values: unknown): Fault[] {
    const { schema, validate } = this.#compile(schemaText)
    this.#enter('judging')
    try {
      if (validate(values)) return []
      const errors = sortBySchemaOrder(collapseBranches((validate.errors ?? []).slice(0, faultsMax * 10), schema as object)).filter(
        (error) => error.data !== unknownValue,
      )
      return errors.slice(0, faultsMax).map((error) => ({ path: pathOf(error, values), message: truncate(messageOf(error)) }))
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidSchema('The schema refers to itself without end')
      throw error
    }
  }

  #compile(text: string): CompiledSchema {
    const known = this.#compiled.get(text)
    if (known) return known
    this.#enter('compiling')
    try {
      const schema = adaptSchema(JSON.parse(text), { acceptsPydantic1: true })
      this.#metaschema ??= compileMetaschema({ formats })
      if (!this.#metaschema(schema)) throw new InvalidSchema(truncate(`The schema is not valid: ${errorsText(this.#metaschema.errors ?? [])}`))
      const compiled = compileSchema(schema, ajvOptions)
      this.#compiled.set(text, compiled, text.length)
      return compiled
    } catch (error) {
      if (error instanceof InvalidSchema) throw error
      if (error instanceof RangeError) throw new InvalidSchema(tooDeepMessage)
      throw new InvalidSchema(truncate(`The schema cannot be used: ${error instanceof Error ? error.message : String(error)}`))
    }
  }
}

const errorsText = (errors: readonly ErrorObject[]): string => errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')

/** Words whose fault is one, however many their branches have. */
const choices = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames'])

/** One fault where a value fits none of several branches: those of the branches come right before it, and are left out. */
function collapseBranches(errors: readonly ErrorObject[], root: object): ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    // What is wrong was said by the branch.
    if (error.keyword === 'if') continue
    if (choices.has(error.keyword)) {
      const within = schemasWithin(error.schema, root)
      for (let last = kept.at(-1); last && within.has(last.parentSchema as object) && isBelow(last, error); last = kept.at(-1)) kept.pop()
    }
    const before = kept.at(-1)
    // Fields too many are one fault of the object that has them.
    if (error.keyword === 'additionalProperties' && before?.keyword === error.keyword && before.instancePath === error.instancePath) continue
    kept.push(error)
  }
  return kept
}

const isBelow = (error: ErrorObject, of: ErrorObject): boolean => `${error.instancePath}/`.startsWith(`${of.instancePath}/`)

/** Every schema in a schema, also in those that it refers to. */
function schemasWithin(schema: unknown, root: object, found = new Set<object>()): ReadonlySet<object> {
  if (typeof schema !== 'object' || schema === null || found.has(schema)) return found
  found.add(schema)
  for (const [word, inner] of Object.entries(schema)) {
    schemasWithin(word === '$ref' && typeof inner === 'string' ? resolveRef(inner, root) : inner, root, found)
  }
  return found
}

function resolveRef(reference: string, root: object): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[decodeUriPart(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  )
}

function decodeUriPart(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** In the order of the schema's words: where the fields come before what is required, their faults do too. Ajv has an order of its own. */
function sortBySchemaOrder(errors: readonly ErrorObject[]): ErrorObject[] {
  const list = [...errors]
  for (const error of errors.filter(comesAfterFields)) {
    list.splice(list.indexOf(error), 1)
    const last = list.findLastIndex((other) => other.instancePath.startsWith(`${error.instancePath}/`))
    const own = list.findLastIndex((other) => other.instancePath === error.instancePath && comesAfterFields(other))
    list.splice(Math.max(last, own) + 1, 0, error)
  }
  return list
}

function comesAfterFields({ keyword, parentSchema = {} }: ErrorObject): boolean {
  if (keyword !== 'required' && keyword !== 'additionalProperties') return false
  const words = Object.keys(parentSchema)
  return words.includes('properties') && words.indexOf('properties') < words.indexOf(keyword)
}

function pathOf({ instancePath, keyword, params }: ErrorObject, values: unknown): (string | number)[] {
  let at = values
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const key = Array.isArray(at) ? Number(name) : name
      at = (at as Record<string | number, unknown> | undefined)?.[key]
      return key
    })
  // What is missing is a fault of the field, not of the object that lacks it.
  return keyword === 'required' ? [...path, (params as { missingProperty: string }).missingProperty] : path
}

function messageOf({ keyword, message, params, parentSchema, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'This is required'
    case 'enum':
      return `must be one of ${((params as { allowedValues: unknown[] }).allowedValues ?? []).map((value) => JSON.stringify(value)).join(', ')}`
    case 'anyOf':
    case 'oneOf':
      return 'fits none of the forms that it may have'
    case 'additionalProperties': {
      const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {})
      const extra = Object.keys(data as object).filter((name) => !known.includes(name))
      return `has fields that it may not have: ${extra.join(', ')}`
    }
    default:
      return message ?? 'is not valid'
  }
}

/** Stands in the values for one that is not known: no schema takes it for a value of its own. */
export const unknownValue: unique symbol = Symbol('unknown')

type Node = Exclude<SchemaValueError, string>

const isAt = (node: SchemaValueError, step: string | number): node is Node =>
  typeof node !== 'string' && (typeof step === 'number' ? 'index' in node && node.index === step : 'property' in node && node.property === step)

const nodeAt = (step: string | number): Node => (typeof step === 'number' ? { index: step, errors: [] } : { property: step, errors: [] })

/** Faults laid out as the values are: by field, by index, and so on inwards. Each fault of a field stands for itself. */
export function faultTree(faults: readonly Fault[]): SchemaValueError[] {
  const root: SchemaValueError[] = []
  for (const { path, message } of faults) {
    let level = root
    path.forEach((step, depth) => {
      const known = depth < path.length - 1 ? level.find((node) => isAt(node, step)) : undefined
      const node = (known as Node | undefined) ?? nodeAt(step)
      if (!known) level.push(node)
      level = node.errors
    })
    level.push(message)
  }
  return root
}

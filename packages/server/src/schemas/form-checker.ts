import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { LruCache } from '../lib/lru-cache.ts'
import { adaptSchema } from './adapt-schema.ts'
import { type CompiledSchema, compileMetaschema, compileSchema } from './compile-schema.ts'
import { formats } from './formats.ts'
import type { Phase } from './refusal.ts'
import { tooDeepMessage, truncate } from './schema-checker.ts'

/** One validation error and the path of its value. */
export interface Fault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The schema itself is invalid. */
export class InvalidSchema extends Error {}

/** Reports all errors with their schemas, because a form shows each error at its field. */
const ajvOptions = { allErrors: true, verbose: true, formats }

/** A form is validated again at every change of a field. */
const cacheLimits = { entriesMax: 64, weightMax: 256 * 1024 }

/** Maximum number of reported faults. */
export const faultsMax = 500

/** Validates the values of a form and reports all faults. `SchemaChecker` stops at the first. */
export class FormChecker {
  readonly #compiled = new LruCache<string, CompiledSchema>(cacheLimits)
  readonly #enter: (phase: Phase) => void
  #metaschema: ValidateFunction | undefined

  constructor(enter: (phase: Phase) => void = () => {}) {
    this.#enter = enter
  }

  /** Returns the faults of the values by a schema, which is JSON text. Throws `InvalidSchema`. */
  check(schemaText: string, values: unknown): Fault[] {
    const { schema, validate } = this.#compile(schemaText)
    this.#enter('validating')
    try {
      if (validate(values)) return []
      const errors = sortBySchemaOrder(collapseBranches((validate.errors ?? []).slice(0, faultsMax * 10), schema as object)).filter(
        (error) => error.data !== unknownValue,
      )
      return errors.slice(0, faultsMax).map((error) => ({ path: pathOf(error, values), message: truncate(messageOf(error)) }))
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidSchema('The schema refers to itself endlessly')
      throw error
    }
  }

  #compile(text: string): CompiledSchema {
    const cached = this.#compiled.get(text)
    if (cached) return cached
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

/** Keywords that report a single fault for all of their branches. */
const choices = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames'])

/** Reports one fault where a value matches no branch. The faults of the branches come right before it and are dropped. */
function collapseBranches(errors: readonly ErrorObject[], root: object): ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    // The branch has already reported the fault.
    if (error.keyword === 'if') continue
    if (choices.has(error.keyword)) {
      const within = schemasWithin(error.schema, root)
      for (let last = kept.at(-1); last && within.has(last.parentSchema as object) && isBelow(last, error); last = kept.at(-1)) kept.pop()
    }
    const before = kept.at(-1)
    // All unknown fields are one fault of their object.
    if (error.keyword === 'additionalProperties' && before?.keyword === error.keyword && before.instancePath === error.instancePath) continue
    kept.push(error)
  }
  return kept
}

const isBelow = (error: ErrorObject, of: ErrorObject): boolean => `${error.instancePath}/`.startsWith(`${of.instancePath}/`)

/** All schemas nested in a schema, following references. */
function schemasWithin(schema: unknown, root: object, found = new Set<object>()): ReadonlySet<object> {
  if (typeof schema !== 'object' || schema === null || found.has(schema)) return found
  found.add(schema)
  for (const [keyword, inner] of Object.entries(schema)) {
    schemasWithin(keyword === '$ref' && typeof inner === 'string' ? resolveRef(inner, root) : inner, root, found)
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

/** Sorts by the keyword order of the schema: if `properties` comes before `required`, so do its faults. Ajv has its own order. */
function sortBySchemaOrder(errors: readonly ErrorObject[]): ErrorObject[] {
  const list = [...errors]
  for (const error of errors.filter(comesAfterFields)) {
    list.splice(list.indexOf(error), 1)
    const last = list.findLastIndex((other) => other.instancePath.startsWith(`${error.instancePath}/`))
    const lastOfObject = list.findLastIndex((other) => other.instancePath === error.instancePath && comesAfterFields(other))
    list.splice(Math.max(last, lastOfObject) + 1, 0, error)
  }
  return list
}

function comesAfterFields({ keyword, parentSchema = {} }: ErrorObject): boolean {
  if (keyword !== 'required' && keyword !== 'additionalProperties') return false
  const keywords = Object.keys(parentSchema)
  return keywords.includes('properties') && keywords.indexOf('properties') < keywords.indexOf(keyword)
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
  // A missing field is reported at the field, not at its object.
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
      return 'does not match any allowed schema'
    case 'additionalProperties': {
      const allowed = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {})
      const extra = Object.keys(data as object).filter((name) => !allowed.includes(name))
      return `has unknown fields: ${extra.join(', ')}`
    }
    default:
      return message ?? 'is not valid'
  }
}

/** Replaces a value that is only known at run time. No schema matches it by accident. */
export const unknownValue: unique symbol = Symbol('unknown')

type Node = Exclude<SchemaValueError, string>

const isAt = (node: SchemaValueError, step: string | number): node is Node =>
  typeof node !== 'string' && (typeof step === 'number' ? 'index' in node && node.index === step : 'property' in node && node.property === step)

const nodeAt = (step: string | number): Node => (typeof step === 'number' ? { index: step, errors: [] } : { property: step, errors: [] })

/** Arranges faults as a tree by field and index, like the values. Several faults of one field stay separate entries. */
export function faultTree(faults: readonly Fault[]): SchemaValueError[] {
  const root: SchemaValueError[] = []
  for (const { path, message } of faults) {
    let level = root
    path.forEach((step, depth) => {
      const existing = depth < path.length - 1 ? level.find((node) => isAt(node, step)) : undefined
      const node = (existing as Node | undefined) ?? nodeAt(step)
      if (!existing) level.push(node)
      level = node.errors
    })
    level.push(message)
  }
  return root
}

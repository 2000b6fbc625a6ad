import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { adapted } from '../../lib/json-schema.ts'
import { formats } from './formats.ts'
import { unknown } from './placeholders.ts'

/** One thing that is wrong with a value, and where. */
export interface Fault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The schema itself is no good. */
export class BadSchema extends Error {}

/** All faults, unlike lib/json-schema.ts, which stops at the first: a form shows each at its field. Each comes with the schema it is from. */
const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, formats, addUsedSchema: false, logger: false })

/** A form asks again at every change of a field. */
const compiled = new Map<string, { readonly schema: object; readonly validate: ValidateFunction }>()
const compiledMax = 64

/** More do not help anybody. */
const faultsMax = 500

/** What is wrong with the values by a schema, which is JSON text. Throws a BadSchema. */
export function schemaFaults(schemaText: string, values: unknown): Fault[] {
  const { schema, validate } = compile(schemaText)
  try {
    if (validate(values)) return []
  } catch (error) {
    if (error instanceof RangeError) throw new BadSchema('The schema refers to itself without end')
    throw error
  }
  const errors = ordered(summarised((validate.errors ?? []).slice(0, faultsMax * 10), schema)).filter((error) => error.data !== unknown)
  return errors.slice(0, faultsMax).map((error) => ({ path: pathOf(error, values), message: messageOf(error) }))
}

function compile(text: string) {
  const known = compiled.get(text)
  if (known) return known
  try {
    const schema = adapted(JSON.parse(text), { mend: true })
    if (!ajv.validateSchema(schema)) throw new BadSchema(`The schema is not valid: ${ajv.errorsText()}`)
    const made = { schema, validate: ajv.compile(schema) }
    const [oldest] = compiled.size < compiledMax ? [] : compiled
    if (oldest) {
      compiled.delete(oldest[0])
      ajv.removeSchema(oldest[1].schema)
    }
    compiled.set(text, made)
    return made
  } catch (error) {
    if (error instanceof BadSchema) throw error
    throw new BadSchema(`The schema cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Words whose fault is one, however many their branches have. */
const choices = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames'])

/** One fault where a value fits none of several branches: those of the branches come right before it, and are left out. */
function summarised(errors: readonly ErrorObject[], root: object): ErrorObject[] {
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
    schemasWithin(word === '$ref' && typeof inner === 'string' ? target(inner, root) : inner, root, found)
  }
  return found
}

function target(reference: string, root: object): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  )
}

/** In the order of the schema's words: where the fields come before what is required, their faults do too. Ajv has an order of its own. */
function ordered(errors: readonly ErrorObject[]): ErrorObject[] {
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

import { branchesOf, isUnparsedInput } from './field-kind.ts'
import { parseDuration } from './iso-duration.ts'
import { isRawNumber, isSameJson } from './json-input.ts'
import type { Schema } from './json-schema.ts'
import { orderedFields, resolveSchema } from './resolve-schema.ts'

/** Messages by the place of the field, `a.b.0`; the whole is at ''. */
export type FieldErrors = Readonly<Record<string, string>>

const depthMax = 32

/** What a form can tell is wrong before anybody asks the server, which has the last word. */
export function validateValue(schema: Schema, root: Schema, value: unknown): FieldErrors {
  const faults: Record<string, string> = {}
  collectErrors(schema, root, value, '', faults, 0)
  return faults
}

const joinPath = (at: string, step: string | number): string => (at === '' ? String(step) : `${at}.${step}`)

function collectErrors(schema: Schema, root: Schema, value: unknown, at: string, faults: Record<string, string>, depth: number): void {
  if (depth > depthMax) return
  const inner = resolveSchema(schema, root)
  if (value === null && (inner.nullable || inner.type === undefined)) return
  const branches = branchesOf(inner)
  const whole = valueError(inner, value, branches.length > 1)
  if (whole) faults[at] ??= whole
  else if (branches.length > 1) Object.assign(faults, closestBranchErrors(branches, root, value, at, depth))
  else if (Array.isArray(value)) {
    if (inner.items) for (const [index, item] of value.entries()) collectErrors(inner.items, root, item, joinPath(at, index), faults, depth + 1)
  } else if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    collectObjectErrors(inner, root, value as Record<string, unknown>, at, faults, depth)
  }
}

/** What is wrong with a value as a whole, whatever is within it. */
function valueError(schema: Schema, value: unknown, isUnion: boolean): string | undefined {
  if (isUnparsedInput(value)) return value.error
  if (schema.const !== undefined && !isSameJson(value, schema.const)) return `Must be ${JSON.stringify(schema.const)}`
  if (schema.enum && !schema.enum.some((each) => isSameJson(each, value))) return 'Select one of the options'
  if (isUnion) return undefined
  const wrong = typeError(schema, value)
  if (wrong) return wrong
  if (typeof value === 'string') return stringError(schema, value)
  if (typeof value === 'number') return numberError(schema, value)
  if (isRawNumber(value)) return numberError(schema, Number(value.rawJSON))
  return Array.isArray(value) ? arrayError(schema, value) : undefined
}

function collectObjectErrors(
  schema: Schema,
  root: Schema,
  value: Record<string, unknown>,
  at: string,
  faults: Record<string, string>,
  depth: number,
): void {
  for (const [name, field] of orderedFields(schema)) {
    const held = value[name]
    if (held !== undefined) collectErrors(field, root, held, joinPath(at, name), faults, depth + 1)
    else if (schema.required?.includes(name)) faults[joinPath(at, name)] ??= 'Required'
  }
  const more = schema.additionalProperties
  if (more === undefined || more === true) return
  for (const [name, held] of Object.entries(value)) {
    if (schema.properties && name in schema.properties) continue
    if (more === false) faults[joinPath(at, name)] ??= 'Unknown field'
    else collectErrors(more, root, held, joinPath(at, name), faults, depth + 1)
  }
}

/** Of a union: none where one kind fits, else those of the kind that fits best. */
function closestBranchErrors(branches: readonly Schema[], root: Schema, value: unknown, at: string, depth: number): FieldErrors {
  const tried = branches.map((branch) => {
    const faults: Record<string, string> = {}
    collectErrors(branch, root, value, at, faults, depth + 1)
    return faults
  })
  return tried[closestBranch(tried)] ?? {}
}

/** A fault of the whole value means another kind of thing; faults within it mean the right kind, not yet complete. */
const closestBranch = (tried: readonly FieldErrors[]): number => {
  const badness = tried.map((faults) => Object.keys(faults).reduce((sum, place) => sum + (place.includes('.') ? 1 : 10), 0))
  return badness.indexOf(Math.min(...badness))
}

/** Which kind of a union a value is. */
export function findBranchIndex(branches: readonly Schema[], root: Schema, value: unknown): number {
  return closestBranch(branches.map((branch) => validateValue({ type: 'object', properties: { it: branch } }, root, { it: value })))
}

const typeChecks: Readonly<Record<string, { readonly is: (value: unknown) => boolean; readonly fault: string }>> = {
  string: { is: (value) => typeof value === 'string', fault: 'Must be text' },
  integer: { is: (value) => isRawNumber(value) || Number.isInteger(value), fault: 'Must be a whole number' },
  number: { is: (value) => isRawNumber(value) || typeof value === 'number', fault: 'Must be a number' },
  boolean: { is: (value) => typeof value === 'boolean', fault: 'Must be true or false' },
  array: { is: Array.isArray, fault: 'Must be a list' },
  object: {
    is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value),
    fault: 'Must be an object',
  },
  null: { is: (value) => value === null, fault: 'Must be null' },
}

function typeError({ type, properties }: Schema, value: unknown): string | undefined {
  const kind = typeChecks[typeof type === 'string' ? type : properties ? 'object' : '']
  return kind && !kind.is(value) ? kind.fault : undefined
}

const formats: Readonly<Record<string, readonly [fits: (text: string) => boolean, fault: string]>> = {
  date: [(text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), 'Must be a date'],
  'date-time': [(text) => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(text) && !Number.isNaN(Date.parse(text)), 'Must be a date and time'],
  duration: [(text) => parseDuration(text) !== undefined, 'Must be a duration'],
  email: [(text) => text.includes('@'), 'Must be an email address'],
  uuid: [(text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text), 'Must be a UUID'],
  'json-string': [isJson, 'Invalid JSON'],
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function stringError({ minLength = 0, maxLength, pattern, format = '' }: Schema, text: string): string | undefined {
  const length = [...text].length
  if (length < minLength) return minLength === 1 ? 'Must not be empty' : `At least ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `At most ${maxLength} characters`
  if (pattern !== undefined && !matchesPattern(pattern, text)) return `Must match ${pattern}`
  const [fits, fault] = formats[format] ?? []
  return fits?.(text) === false ? fault : undefined
}

/** What JavaScript cannot read as a pattern is left to the server. */
function matchesPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}

function numberError({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `At least ${minimum}`
  if (maximum !== undefined && value > maximum) return `At most ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `More than ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `Less than ${exclusiveMaximum}`
  if (multipleOf !== undefined && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9) return `A multiple of ${multipleOf}`
  return undefined
}

function arrayError({ minItems = 0, maxItems, uniqueItems }: Schema, list: readonly unknown[]): string | undefined {
  if (list.length < minItems) return minItems === 1 ? 'At least one item' : `At least ${minItems} items`
  if (maxItems !== undefined && list.length > maxItems) return `At most ${maxItems} items`
  if (uniqueItems && new Set(list.map((each) => JSON.stringify(each))).size < list.length) return 'Items must be unique'
  return undefined
}

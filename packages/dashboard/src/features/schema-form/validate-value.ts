import { ownEntry } from '../../own-entry.ts'
import { branchesOf, isUnparsedInput } from './field-kind.ts'
import { parseDuration } from './iso-duration.ts'
import { isRawNumber, isSameJson } from './json-input.ts'
import type { Schema } from './json-schema.ts'
import { orderedFields, resolveSchema } from './resolve-schema.ts'

/** Messages by field path such as `a.b.0`. The path of the whole value is ''. */
export type FieldErrors = Readonly<Record<string, string>>

const depthMax = 32

/** Validates a value before it is sent. The server validates it again. */
export function validateValue(schema: Schema, root: Schema, value: unknown): FieldErrors {
  const errors: Record<string, string> = {}
  collectErrors(schema, root, value, '', errors, 0)
  return errors
}

const joinPath = (at: string, step: string | number): string => (at === '' ? String(step) : `${at}.${step}`)

function collectErrors(schema: Schema, root: Schema, value: unknown, at: string, errors: Record<string, string>, depth: number): void {
  if (depth > depthMax) return
  const inner = resolveSchema(schema, root)
  if (value === null && (inner.nullable || inner.type === undefined)) return
  const branches = branchesOf(inner)
  const ownError = valueError(inner, value, branches.length > 1)
  if (ownError) errors[at] ??= ownError
  else if (branches.length > 1) Object.assign(errors, closestBranchErrors(branches, root, value, at, depth))
  else if (Array.isArray(value)) {
    if (inner.items) for (const [index, item] of value.entries()) collectErrors(inner.items, root, item, joinPath(at, index), errors, depth + 1)
  } else if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    collectObjectErrors(inner, root, value as Record<string, unknown>, at, errors, depth)
  }
}

/** Error of the value itself, without its members. */
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
  errors: Record<string, string>,
  depth: number,
): void {
  for (const [name, field] of orderedFields(schema)) {
    const fieldValue = value[name]
    if (fieldValue !== undefined) collectErrors(field, root, fieldValue, joinPath(at, name), errors, depth + 1)
    else if (schema.required?.includes(name)) errors[joinPath(at, name)] ??= 'Required'
  }
  const more = schema.additionalProperties
  if (more === undefined || more === true) return
  for (const [name, fieldValue] of Object.entries(value)) {
    if (schema.properties && name in schema.properties) continue
    if (more === false) errors[joinPath(at, name)] ??= 'Unknown field'
    else collectErrors(more, root, fieldValue, joinPath(at, name), errors, depth + 1)
  }
}

/** Errors of a union: none if a branch matches, else those of the best branch. */
function closestBranchErrors(branches: readonly Schema[], root: Schema, value: unknown, at: string, depth: number): FieldErrors {
  const branchErrors = branches.map((branch) => {
    const errors: Record<string, string> = {}
    collectErrors(branch, root, value, at, errors, depth + 1)
    return errors
  })
  return branchErrors[closestBranch(branchErrors)] ?? {}
}

/** An error of the value itself means another type. Errors in its members mean the right type, not yet complete. */
const closestBranch = (branchErrors: readonly FieldErrors[]): number => {
  const badness = branchErrors.map((errors) => Object.keys(errors).reduce((sum, path) => sum + (path.includes('.') ? 1 : 10), 0))
  return badness.indexOf(Math.min(...badness))
}

/** Index of the union branch that a value matches. */
export function findBranchIndex(branches: readonly Schema[], root: Schema, value: unknown): number {
  return closestBranch(branches.map((branch) => validateValue({ type: 'object', properties: { it: branch } }, root, { it: value })))
}

const typeChecks: Readonly<Record<string, { readonly is: (value: unknown) => boolean; readonly message: string }>> = {
  string: { is: (value) => typeof value === 'string', message: 'Must be text' },
  integer: { is: (value) => isRawNumber(value) || Number.isInteger(value), message: 'Must be a whole number' },
  number: { is: (value) => isRawNumber(value) || typeof value === 'number', message: 'Must be a number' },
  boolean: { is: (value) => typeof value === 'boolean', message: 'Must be true or false' },
  array: { is: Array.isArray, message: 'Must be a list' },
  object: {
    is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value),
    message: 'Must be an object',
  },
  null: { is: (value) => value === null, message: 'Must be null' },
}

function typeError({ type, properties }: Schema, value: unknown): string | undefined {
  const kind = ownEntry(typeChecks, typeof type === 'string' ? type : properties ? 'object' : '')
  return kind && !kind.is(value) ? kind.message : undefined
}

const formats: Readonly<Record<string, readonly [fits: (text: string) => boolean, message: string]>> = {
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
  const [fits, message] = ownEntry(formats, format) ?? []
  return fits?.(text) === false ? message : undefined
}

/** Patterns that JavaScript cannot compile are left to the server. */
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

import { Hidden, Reference, SecretPlaceholder } from './placeholders.ts'

/** An item of a file or of the server, in the shape of the file. */
export type Item = Readonly<Record<string, unknown>>

/** A number that keeps its spelling, such as `1.0` or `12345678901234567890`. */
interface RawNumber {
  readonly rawJSON: string
}

/** TypeScript has no types for JSON source text access yet. Node has it since version 22. */
const json = JSON as unknown as { rawJSON?: (text: string) => RawNumber; isRawJSON(value: unknown): boolean }

export const hasExactNumbers = (): boolean => json.rawJSON !== undefined

export const isRawNumber = (value: unknown): value is RawNumber => typeof value === 'object' && value !== null && json.isRawJSON(value)

/** The number of a JSON text, as the client returns it with `exactNumbers`. */
export function exactNumber(source: string): number | RawNumber {
  const value = Number(source)
  return String(value) === source || json.rawJSON === undefined ? value : json.rawJSON(source)
}

/** The plain number of a field that is no user data. Undefined if the value is no number. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return isRawNumber(value) ? Number(value.rawJSON) : undefined
}

const isPlaceholder = (value: object): boolean => value instanceof Reference || value instanceof SecretPlaceholder || value instanceof Hidden

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value) && !isPlaceholder(value)

/** Whether two values are the same JSON. The order of keys does not count, the spelling of numbers does: `1` and `1.0` differ in Python. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a instanceof Hidden) return isEqual(a.value, b)
  if (b instanceof Hidden) return isEqual(a, b.value)
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (isRawNumber(a)) return isRawNumber(b) && a.rawJSON === b.rawJSON
  if (a instanceof Reference) return b instanceof Reference && a.text === b.text
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** Copies a value with every leaf changed: texts, numbers, flags, null and placeholders. */
export function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change))
  if (!isObject(value)) return change(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, change)]))
}

/** A name for messages: `text`, `a number`, `a list`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'true or false'
  if (toNumber(value) !== undefined) return 'a number'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Reference) return 'a reference'
  return value instanceof SecretPlaceholder ? 'a secret' : 'a mapping'
}

/** Orders by code unit, which is the same in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

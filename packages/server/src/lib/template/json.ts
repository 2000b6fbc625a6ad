import { ExactNumber } from '../json-exact.ts'
import { formatTime, MICROS_PER_SECOND } from '../time.ts'
import type { Budget } from './budget.ts'
import { TemplateError } from './errors.ts'
import { spendOnIntegers } from './numbers.ts'
import { floatText, toText } from './to-text.ts'
import { type Dict, isDict, type Key, NativeFunction, TemplateObject, Time, TimeSpan, Tuple, Undefined, type Value } from './values.ts'

export interface JsonOptions {
  /** The `tojson` filter sorts keys; other data keeps their order. */
  readonly sorted: boolean
  readonly indent?: number
}

const writtenAsText: ReadonlySet<string> = new Set(['labels', 'date', 'time'])

/** The JSON text of a value with the blanks of Python's `json`. Times are RFC 3339, time spans are seconds. */
export function toJson(value: Value, options: JsonOptions, budget: Budget, depth = 0): string {
  budget.spend()
  if (value === null) return 'null'
  if (typeof value === 'boolean' || typeof value === 'bigint') {
    spendOnIntegers(budget, value)
    return String(value)
  }
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string') return stringText(value, budget)
  if (value instanceof Time) return stringText(formatTime(value.micros), budget)
  if (value instanceof TimeSpan) return numberText(value.micros / MICROS_PER_SECOND)
  if (value instanceof Undefined) throw new TemplateError(`'${value.name}' is undefined`)
  if (value instanceof NativeFunction) throw new TemplateError('A function cannot be serialized as JSON')
  // Labels and dates are written as text, other objects as their fields.
  if (value instanceof TemplateObject && writtenAsText.has(value.kind)) return stringText(toText(value, budget), budget)
  return budget.nested(() => containerText(value, options, budget, depth))
}

function containerText(value: readonly Value[] | Tuple | Dict | TemplateObject, options: JsonOptions, budget: Budget, depth: number): string {
  if (value instanceof TemplateObject) return objectText(value.items.size > 0 ? value.items : value.fields, options, budget, depth)
  if (isDict(value)) return objectText(value, options, budget, depth)
  const items = value instanceof Tuple ? value.items : value
  const parts = items.map((item) => toJson(item, options, budget, depth + 1))
  spendOnLines(parts.length, options, budget, depth)
  return enclosed('[', parts, ']', options, depth)
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return floatText(value)
  throw new TemplateError('A non-finite number cannot be serialized as JSON')
}

function stringText(text: string, budget: Budget): string {
  budget.spendOnText(text.length)
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function objectText(dict: ReadonlyMap<Key, Value>, options: JsonOptions, budget: Budget, depth: number): string {
  const entries = [...dict].map(([key, inner]) => [keyText(key), inner] as const)
  if (options.sorted) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const parts = entries.map(([key, inner]) => `${stringText(key, budget)}: ${toJson(inner, options, budget, depth + 1)}`)
  spendOnLines(parts.length, options, budget, depth)
  return enclosed('{', parts, '}', options, depth)
}

/** Spends on indentation, which may exceed the content. */
const spendOnLines = (lines: number, { indent = 0 }: JsonOptions, budget: Budget, depth: number): void =>
  budget.spendOnText(lines * indent * (depth + 1))

const keyText = (key: Key): string => (typeof key === 'string' ? key : typeof key === 'number' ? numberText(key) : String(key))

function enclosed(open: string, parts: readonly string[], close: string, { indent }: JsonOptions, depth: number): string {
  if (indent === undefined || parts.length === 0) return `${open}${parts.join(', ')}${close}`
  const line = `\n${' '.repeat(indent * (depth + 1))}`
  return `${open}${line}${parts.join(`,${line}`)}\n${' '.repeat(indent * depth)}${close}`
}

/** Converts a value of `parseJson` for templates. Integers of any size and `1.0` are preserved. */
export function fromJsonValue(value: unknown): Value {
  if (value instanceof ExactNumber) return /^-?\d+$/.test(value.source) ? BigInt(value.source) : value.value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(fromJsonValue)
  if (typeof value === 'object' && value !== null)
    return new Map<Key, Value>(Object.entries(value).map(([key, inner]) => [key, fromJsonValue(inner)]))
  return value as Value
}

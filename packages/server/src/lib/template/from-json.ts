import { ExactNumber } from '../json-exact.ts'
import type { Key, Value } from './values.ts'

/** A value that came out of `parseJson`, as templates see it: whole numbers of any size and `1.0` stay what they were. */
export function fromJsonValue(value: unknown): Value {
  if (value instanceof ExactNumber) return /^-?\d+$/.test(value.source) ? BigInt(value.source) : value.value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(fromJsonValue)
  if (typeof value === 'object' && value !== null)
    return new Map<Key, Value>(Object.entries(value).map(([key, inner]) => [key, fromJsonValue(inner)]))
  return value as Value
}

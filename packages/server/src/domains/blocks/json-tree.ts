import { parseJson } from '../../lib/json.ts'
import { ExactNumber } from '../../lib/json-exact.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/** Stored JSON of an object. How deep it may be was settled when it came in. */
export const readObject = (text: string): JsonObject => parseJson(text, Number.MAX_SAFE_INTEGER) as JsonObject

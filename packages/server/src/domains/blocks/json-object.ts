import { parseJson } from '../../lib/json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Stored JSON of an object. How deep it may be was settled when it came in. */
export const parseJsonObject = (text: string): JsonObject => parseJson(text, Number.MAX_SAFE_INTEGER) as JsonObject

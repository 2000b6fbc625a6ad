import { parseJson } from '../../lib/json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Parses stored JSON of an object. The depth was checked when it was received. */
export const parseJsonObject = (text: string): JsonObject => parseJson(text, Number.MAX_SAFE_INTEGER) as JsonObject

import { parseJson } from '@millrace/client/json.ts'
import { UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { readInputText } from './read-input.ts'

/** A JSON object: the value itself, `@FILE`, or `-` for stdin. */
export async function readParameters(io: Io, value: string, option: string): Promise<Record<string, unknown>> {
  const text = value === '-' || value.startsWith('@') ? await readInputText(io, value.replace(/^@/, '')) : value
  let parsed: unknown
  try {
    parsed = parseJson(text, true)
  } catch (error) {
    throw new UsageError(`${option} is not JSON: ${(error as Error).message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UsageError(`${option} is not a JSON object such as {"rows": 10}`)
  return parsed as Record<string, unknown>
}

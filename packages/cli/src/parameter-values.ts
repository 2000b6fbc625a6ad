import { parseJson } from '@millrace/client/json.ts'
import { InvalidArgumentError } from 'commander'
import { UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { readInput } from './option-values.ts'

/** `KEY=VALUE`, collected into an object. Unlike `collectPairs` it keeps numbers as they are written: large integers, and `1.0`. */
export function collectParameters(text: string, collected: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It is not KEY=VALUE.')
  return { ...collected, [text.slice(0, at)]: jsonOrText(text.slice(at + 1)) }
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text, true)
  } catch {
    return text
  }
}

/** A JSON object: the value itself, `@FILE`, or `-` for stdin. */
export async function readParameters(io: Io, value: string, option: string): Promise<Record<string, unknown>> {
  const text = value === '-' ? await readStdin(io) : value.startsWith('@') ? readInput(value.slice(1)) : value
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

async function readStdin(io: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseJson } from '@millrace/client/json.ts'
import { UsageError } from './errors.ts'
import type { Io } from './io.ts'

/** The text of a file, or of stdin for `-`. */
export async function readInputText(io: Io, path: string): Promise<string> {
  if (path === '-') return text(io.stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** The secret in a file, or in stdin for `-`, without the line break that editors and `echo` add. */
export const readSecretFile = async (io: Io, path: string): Promise<string> => (await readInputText(io, path)).trim()

/** A JSON or YAML document from a file, or from stdin for `-`. */
export async function readInputDocument(io: Io, path: string): Promise<unknown> {
  const content = await readInputText(io, path)
  try {
    // JSON first: the client's parser keeps the spelling of numbers, which are user data.
    return parseJson(content, true)
  } catch {
    return parseYaml(content, path)
  }
}

/** A document that must be an object. */
export async function readInputObject(io: Io, path: string): Promise<Record<string, unknown>> {
  return requireObject(await readInputDocument(io, path), sourceName(path))
}

export function requireObject(value: unknown, source: string): Record<string, unknown> {
  if (isObject(value)) return value
  throw new UsageError(`${source}: expected an object, got ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}.`)
}

/** Not a list, and not a number that keeps its spelling, which is an object without a prototype. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

export const sourceName = (path: string): string => (path === '-' ? 'stdin' : path)

async function parseYaml(content: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(content)
  } catch (error) {
    // The first line has the reason and the position. The others show the source.
    throw new UsageError(`${sourceName(path)}: not valid YAML or JSON: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '')}`)
  }
}

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** The command line cannot be understood. */
export class UsageError extends Error {
  override name = 'UsageError'
}

interface Wanted {
  /** Flags that take a value, and flags that take none. */
  readonly texts: readonly string[]
  readonly switches?: readonly string[]
  /** How many words beside the flags. */
  readonly words: number
}

export interface Arguments {
  readonly words: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  readonly switches: ReadonlySet<string>
}

export function readArguments(argv: readonly string[], { texts, switches = [], words }: Wanted): Arguments {
  const options = Object.fromEntries([
    ...texts.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const }]),
  ])
  const { values, positionals } = parsed(argv, options)
  if (positionals.length !== words)
    throw new UsageError(positionals.length < words ? 'Something is missing' : `${positionals.at(-1)} is one word too many`)
  const given = Object.entries(values)
  return {
    words: positionals,
    texts: new Map(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))),
    switches: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
  }
}

function parsed(argv: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Editors and `echo` end a file with a line break that is no part of the secret. */
export function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`)
  }
}

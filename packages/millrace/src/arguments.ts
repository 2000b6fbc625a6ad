import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** The command line cannot be understood. */
export class UsageError extends Error {
  override name = 'UsageError'
}

interface ArgumentSpec {
  /** Flags that take a value, and flags that take none. */
  readonly options: readonly string[]
  readonly flags?: readonly string[]
  /** How many words beside the flags. */
  readonly positionals: number
}

export interface Arguments {
  readonly positionals: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly flags: ReadonlySet<string>
}

export function readArguments(argv: readonly string[], { options: texts, flags: switches = [], positionals: words }: ArgumentSpec): Arguments {
  const options = Object.fromEntries([
    ...texts.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const }]),
  ])
  const { values, positionals } = parseOrThrow(argv, options)
  if (positionals.length !== words)
    throw new UsageError(positionals.length < words ? 'Something is missing' : `${positionals.at(-1)} is one word too many`)
  const given = Object.entries(values)
  return {
    positionals: positionals,
    options: new Map(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))),
    flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
  }
}

function parseOrThrow(argv: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Editors and `echo` end a file with a line break that is no part of the secret. */
export function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`)
  }
}

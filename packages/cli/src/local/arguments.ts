import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** The command line is not valid. */
export class UsageError extends Error {
  override name = 'UsageError'
}

interface ArgumentSpec {
  /** Names of options with a value. */
  readonly options: readonly string[]
  /** Names of options without a value. */
  readonly flags?: readonly string[]
  /** Names of the positional arguments, which are all required. */
  readonly positionals?: readonly string[]
}

export interface Arguments {
  readonly positionals: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly flags: ReadonlySet<string>
}

export function readArguments(argv: readonly string[], { options, flags = [], positionals: expected = [] }: ArgumentSpec): Arguments {
  const types = Object.fromEntries([
    ...options.map((name) => [name, { type: 'string' as const }]),
    ...flags.map((name) => [name, { type: 'boolean' as const }]),
  ])
  const { values, positionals } = parseOrThrow(argv, types)
  if (positionals.length < expected.length) throw new UsageError(`Missing argument: ${expected[positionals.length]}`)
  if (positionals.length > expected.length) throw new UsageError(`Unexpected argument: ${positionals[expected.length]}`)
  const given = Object.entries(values)
  return {
    positionals,
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

/** Removes the line break that editors and `echo` add. */
export function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${error instanceof Error && 'code' in error ? error.code : error}`)
  }
}

import { parseArgs } from 'node:util'
import { allProofs } from './all-proofs.ts'
import type { Proof } from './proof.ts'
import type { DatabaseName } from './proof-run.ts'

export const help = `npm run proof -- [NAME ...] [options]
Starts real servers and databases, injects faults, and compares what they keep with what clients were told. All proofs take at most two hours.

  NAME             R1, R2 and so on; all proofs when left out
  --list           list the proofs
  --size N         share of the full size, such as 0.1 (default: 1 for named proofs; a size that fits two hours for all)
  --database NAME  sqlite or postgres, for proofs of both
  --seed N         repeats the random choices of an earlier run
  --write          write the results into docs/proofs/results.json and update docs/proofs.md
  --keep           keep the evidence of proofs that passed`

export interface ProofSettings {
  readonly proofs: readonly Proof[]
  readonly isList: boolean
  /** Undefined: the usual size of each proof. */
  readonly size: number | undefined
  readonly database: DatabaseName | undefined
  readonly seed: number | undefined
  readonly isWritten: boolean
  readonly keepsEvidence: boolean
}

/** A mistake of the command line. */
export class OptionError extends Error {}

/** Returns undefined for `--help`. */
export function readOptions(argv: readonly string[], registry: readonly Proof[] = allProofs): ProofSettings | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      size: { type: 'string' },
      database: { type: 'string' },
      seed: { type: 'string' },
      write: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const wanted = positionals.map((name) => name.toUpperCase())
  const unknown = wanted.filter((name) => !registry.some(({ id }) => id === name))
  if (unknown.length > 0) throw new OptionError(`Unknown proof: ${unknown.join(', ')}. There are ${registry.map(({ id }) => id).join(', ')}.`)
  const { database } = values
  if (database !== undefined && database !== 'sqlite' && database !== 'postgres') {
    throw new OptionError(`--database: "${database}" is unknown. Use sqlite or postgres.`)
  }
  return {
    proofs: wanted.length === 0 ? registry : registry.filter(({ id }) => wanted.includes(id)),
    isList: values.list,
    size: values.size === undefined ? (wanted.length === 0 ? undefined : 1) : readNumber('--size', values.size, 0, 100),
    database,
    seed: values.seed === undefined ? undefined : readNumber('--seed', values.seed, -1, 2 ** 32),
    isWritten: values.write,
    keepsEvidence: values.keep,
  }
}

function readNumber(name: string, text: string, above: number, max: number): number {
  const value = Number(text)
  if (!(value > above && value <= max)) throw new OptionError(`${name}: "${text}" is not a number above ${above}, at most ${max}.`)
  return value
}

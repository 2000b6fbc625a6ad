import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from '../../packages/bench/src/machine.ts'
import { repositoryRoot } from '../repository.ts'
import type { Figure } from './figure.ts'

/** The last written result of one proof on one database. */
export interface ProofResult {
  readonly id: string
  readonly database: string
  readonly passed: boolean
  readonly figures: readonly Figure[]
  /** Share of the full size. */
  readonly size: number
  /** What was done, such as `200 kills`. */
  readonly amount: string
  readonly seed: number
  readonly seconds: number
  /** ISO time of the end. */
  readonly date: string
  readonly commit: string
  readonly machine: Machine
  /** Cores that processes outside of the proof used, on average. */
  readonly foreign_cores: number | null
  /** Why the proof did not run. */
  readonly skipped?: string
}

export interface ProofResults {
  readonly format: 1
  readonly results: readonly ProofResult[]
}

const path = 'docs/proofs/results.json'

export function readProofResults(root = repositoryRoot): ProofResults {
  const file = join(root, path)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { format: 1, results: [] }
}

/** Replaces the result of the same proof and database. */
export function withResult({ results }: ProofResults, result: ProofResult): ProofResults {
  const isSame = (one: ProofResult) => one.id === result.id && one.database === result.database
  return { format: 1, results: [...results.filter((one) => !isSame(one)), result].sort(byProof) }
}

const numberOf = (id: string): number => Number(/\d+/.exec(id)?.[0] ?? 0)

const byProof = (a: ProofResult, b: ProofResult): number =>
  a.id.localeCompare(b.id, 'en', { numeric: true }) || numberOf(a.id) - numberOf(b.id) || b.database.localeCompare(a.database)

export function writeProofResults(results: ProofResults, root = repositoryRoot): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

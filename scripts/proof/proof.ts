import type { Figure } from './figure.ts'
import type { DatabaseName, ProofRun, ProofSize } from './proof-run.ts'

/** A proof of one promise under faults. */
export interface Proof {
  /** `R1`; the name on the command line. */
  readonly id: string
  /** The promise, as a statement. */
  readonly promise: string
  /** One result for each. `none` for a proof that needs no database of a server. */
  readonly databases: readonly (DatabaseName | 'none')[]
  /** What `--size 1` means, such as 200 kills. */
  readonly full: ProofSize
  /** The share of the full size in a run of all proofs, which takes two hours at most. The default is 1. */
  readonly usualSize?: number
  /** How it is done, for docs/proofs.md. */
  readonly method: string
  /** What counts as a failure, for docs/proofs.md. */
  readonly failure: string
  /** Why the proof cannot run on this machine; undefined if it can. */
  missing?(): string | undefined
  run(run: ProofRun): Promise<readonly Figure[]>
}

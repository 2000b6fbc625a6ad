import type { Tx } from './database.ts'

export type BatchResults<R> = Promise<readonly (R | Error)[]>

/** Executes many inputs of one kind together. A result that is an `Error` rejects its own command only. */
export interface Batch<I, R> {
  (tx: Tx, inputs: readonly I[]): BatchResults<R>
  /** The rows that an input changes, by any name. While somebody holds one of them, commands that change it wait in a queue of their own. */
  readonly rowsOf?: (input: I) => readonly string[]
}

/** The result of an input whose row another transaction holds, in a transaction that leaves out such rows. */
export class HeldRow extends Error {}

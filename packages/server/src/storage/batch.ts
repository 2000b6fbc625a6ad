import type { Tx } from './database.ts'
import type { TableName } from './tables.ts'

export type BatchResults<R> = Promise<readonly (R | Error)[]>

/** Executes many inputs of one kind together. A result that is an `Error` rejects its own command only. */
export interface Batch<I, R> {
  (tx: Tx, inputs: readonly I[]): BatchResults<R>
  /** Sends the reads of the batch, and returns a function that does the rest. */
  readonly start?: (tx: Tx, inputs: readonly I[]) => () => BatchResults<R>
}

type Read<I, P> = (tx: Tx, inputs: readonly I[]) => Promise<P>
type Execute<I, P, R> = (tx: Tx, inputs: readonly I[], found: P) => BatchResults<R>

/**
 * A batch in two parts. When it shares a transaction with others, its reads are sent together with the first statement of those, which saves a round
 * trip. So they miss what the others write. Constraints must catch that: the transaction then fails, and each command runs again in its own.
 */
export const batchAfterReads = <I, P, R>(read: Read<I, P>, execute: Execute<I, P, R>): Batch<I, R> =>
  inTwoParts((tx, inputs) => {
    const found = sendRead(read, tx, inputs)
    return async () => execute(tx, inputs, await found)
  })

/** The same for changes of rows that are found by id, and no constraint. It reads again if another batch of the transaction may have changed one of them. */
export const batchOnRows = <I extends { readonly id: string }, P, R>(table: TableName, read: Read<I, P>, execute: Execute<I, P, R>): Batch<I, R> =>
  inTwoParts((tx, inputs) => {
    const mark = tx.mark()
    const found = sendRead(read, tx, inputs)
    return async () => {
      const isOutdated = inputs.some(({ id }) => tx.mayHaveChanged(table, id, mark))
      return execute(tx, inputs, isOutdated ? await read(tx, inputs) : await found)
    }
  })

const inTwoParts = <I, R>(start: NonNullable<Batch<I, R>['start']>): Batch<I, R> =>
  Object.assign((tx: Tx, inputs: readonly I[]) => start(tx, inputs)(), { start })

/** The error of a read is reported by the second part, which may never run. */
function sendRead<I, P>(read: Read<I, P>, tx: Tx, inputs: readonly I[]): Promise<P> {
  const found = read(tx, inputs)
  found.catch(() => undefined)
  return found
}

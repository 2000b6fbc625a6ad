import { isDeepStrictEqual } from 'node:util'
import { conflict } from '../errors.ts'
import type { Db, Tx } from './database.ts'
import type { ServerContext } from './server-context.ts'

/** A write that needs a check which takes long, such as one by a schema. The check must not hold a transaction open. */
export interface CheckedWrite<Facts, Checked, Result> {
  /** Reads what the check depends on. Called again in the transaction, with `tx`, where it may lock. */
  read(db: Db, tx?: Tx): Promise<Facts>
  /** Throws what the request is refused with. */
  check(facts: Facts): Promise<Checked>
  write(tx: Tx, checked: Checked): Promise<Result>
}

/** What was checked has changed before it was written: check again. */
export class CheckOutdated extends Error {
  /** The lane takes errors with a status for refusals, which leave the other commands of a transaction alone. */
  readonly status = 409
}

const attemptsMax = 5

/** Checks, and gives the command that writes. It throws a CheckOutdated if the transaction reads other facts than those checked. */
export async function prepareWrite<F, C, R>(db: Db, steps: CheckedWrite<F, C, R>): Promise<(tx: Tx) => Promise<R>> {
  const facts = await steps.read(db)
  const checked = await steps.check(facts)
  return async (tx) => {
    if (!isDeepStrictEqual(await steps.read(tx, tx), facts)) throw new CheckOutdated('What was checked has changed')
    return steps.write(tx, checked)
  }
}

/** Checks outside of any transaction and then writes; starts over while what was checked changes in between. */
export const checkThenWrite = <F, C, R>({ reads, writeQueue }: ServerContext, steps: CheckedWrite<F, C, R>): Promise<R> =>
  retryWhileOutdated(async () => writeQueue.submit(await prepareWrite(reads, steps)))

/** Runs an attempt again as long as it throws a CheckOutdated. */
export async function retryWhileOutdated<R>(attempt: () => Promise<R>): Promise<R> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof CheckOutdated)) throw error
      if (attempts === attemptsMax) throw conflict('The schema that this request is checked by keeps changing. Try again.')
    }
  }
}

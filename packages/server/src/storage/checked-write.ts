import { isDeepStrictEqual } from 'node:util'
import { conflict } from '../errors.ts'
import type { Db, Tx } from './database.ts'
import type { ActingContext } from './server-context.ts'

/** A write with a slow check, such as a schema validation. The check runs outside of the transaction. */
export interface CheckedWrite<Facts, Checked, Result> {
  /** Reads the facts that the check depends on. Called again in the transaction with `tx`, where it may lock rows. */
  read(db: Db, tx?: Tx): Promise<Facts>
  /** Throws the error that rejects the request. */
  check(facts: Facts): Promise<Checked>
  write(tx: Tx, checked: Checked): Promise<Result>
}

/** The checked facts changed before the write: check again. */
export class CheckOutdated extends Error {
  /** The write queue treats an error with a status as a rejection of this command alone. */
  readonly status = 409
}

const attemptsMax = 5

/** Runs the check and returns the write command. The command throws `CheckOutdated` if the transaction reads different facts. */
export async function prepareWrite<F, C, R>(db: Db, steps: CheckedWrite<F, C, R>): Promise<(tx: Tx) => Promise<R>> {
  const facts = await steps.read(db)
  const checked = await steps.check(facts)
  return async (tx) => {
    if (!isDeepStrictEqual(await steps.read(tx, tx), facts)) throw new CheckOutdated('The checked facts have changed')
    return steps.write(tx, checked)
  }
}

/** Checks outside of the transaction, then writes. Starts over when the checked facts change in between. */
export const checkThenWrite = <F, C, R>({ reads, commands }: ActingContext, steps: CheckedWrite<F, C, R>): Promise<R> =>
  retryWhileOutdated(async () => commands.submit(await prepareWrite(reads, steps)))

/** Repeats an attempt while it throws `CheckOutdated`. */
export async function retryWhileOutdated<R>(attempt: () => Promise<R>): Promise<R> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof CheckOutdated)) throw error
      if (attempts === attemptsMax) throw conflict('The schema changed during validation. Try again.')
    }
  }
}

import { type Db, statement, type Tx } from './database.ts'

/** Statements for the changes of the counts of finished runs that wait to be added to the totals (ADR 0027). */
interface FoldStatements {
  /** Takes a maximum. Adds so many changes to the totals, and returns how many as `folded`. */
  readonly fold: string
  /** Returns the size of the table of changes as `bytes`. */
  readonly size: string
  /** Makes the space of added changes usable again. `shrink` also returns it to the file system. Both must run outside of a transaction. */
  readonly vacuum: string
  readonly shrink: string
}

/** Null where triggers change the totals, because there is a single writer. */
const statements: Readonly<Record<Db['dialect']['name'], FoldStatements | null>> = {
  sqlite: null,
  postgres: {
    fold: 'select millrace_fold_finished_runs($1::bigint) as folded',
    size: `select pg_relation_size('finished_run_change') as bytes`,
    vacuum: 'vacuum (skip_locked, truncate false) finished_run_change',
    shrink: 'vacuum (skip_locked, truncate true) finished_run_change',
  },
}
const fold = statement(({ name }) => statements[name]?.fold as string)
const size = statement(({ name }) => statements[name]?.size as string)
const vacuum = statement(({ name }) => statements[name]?.vacuum as string)
const shrink = statement(({ name }) => statements[name]?.shrink as string)

/** Whether changes of the counts are stored one by one and have to be added to the totals. */
export const hasChangesToFold = ({ dialect }: Db): boolean => statements[dialect.name] !== null

/** Adds up to `limit` changes to the totals and returns how many. None if another server does it at the same time. */
export const foldFinishedRuns =
  (limit: number) =>
  async (tx: Tx): Promise<number> =>
    Number((await tx.first<{ folded: number }>(fold, [limit]))?.folded ?? 0)

/** About 120,000 changes. The table gets larger only while a long transaction keeps deleted rows. */
const bytesMax = 8 * 1024 * 1024

/**
 * Makes the space of added changes usable again. Autovacuum looks once a minute, and counts would read the deleted rows until then. Failures are left to
 * autovacuum and to the next pass, such as those of a user who does not own the table.
 */
export async function vacuumChanges(reads: Db): Promise<void> {
  try {
    const bytes = Number((await reads.first<{ bytes: number }>(size))?.bytes ?? 0)
    await reads.all(bytes > bytesMax ? shrink : vacuum)
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}

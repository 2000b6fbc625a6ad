import type { Tx } from '../storage/database.ts'
import { foldRunChanges } from '../storage/run-counts.ts'
import { blockRunNames } from '../storage/run-names.ts'
import type { Row } from '../storage/tables.ts'
import { type Progress, writeProgress } from './adoption-store.ts'
import type { AdoptContext, SourceRow, Step } from './step.ts'
import type { TableReader } from './table-reader.ts'

/** Rows per transaction. Twice as many were not faster on either database. An interrupted copy loses at most one page. */
const defaultPageSize = 1000

/** Copies the remaining pages of a step. Each page is written together with the progress. */
export async function copyStep(
  adoption: AdoptContext,
  step: Step,
  reader: TableReader,
  initial: Progress,
  onRows: (rows: number) => void,
): Promise<Progress> {
  if (initial.done) return initial
  await step.prepare?.(adoption)
  const pageSize = step.pageSize ?? defaultPageSize
  let progress = initial
  // The next page is read while this one is written.
  let nextPage = reader.page(progress.last, pageSize)
  while (!progress.done) {
    const { rows, next } = await nextPage
    if (next !== undefined) {
      nextPage = reader.page(next, pageSize)
      // Avoids an unhandled rejection when the write fails first. The await above still throws.
      nextPage.catch(() => {})
    }
    progress = { last: next ?? progress.last, copied: progress.copied + rows.length, done: next === undefined }
    await adoption.context.commands.submit(async (tx) => {
      if (rows.length > 0) await write(adoption, step, tx, rows)
      // No service does it during a copy, and the first counts and searches would read a change and a name for each run.
      await foldRunChanges(pageSize)(tx)
      while (await blockRunNames(tx)) {}
      await writeProgress(tx, step.name, progress)
    })
    onRows(rows.length)
  }
  return progress
}

const write = async (adoption: AdoptContext, step: Step, tx: Tx, rows: readonly SourceRow[]): Promise<void> =>
  step.write ? step.write(adoption, tx, rows) : void (await tx.insert(step.to, rows as Partial<Row<typeof step.to>>[]))

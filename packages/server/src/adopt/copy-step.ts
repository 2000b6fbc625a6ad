import type { Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'
import type { Reading } from './reading.ts'
import { type Progress, writeProgress } from './record.ts'
import type { SourceRow, Step, Work } from './step.ts'

/** Rows of one transaction. Twice as many were no quicker on either database, and a copy that is ended loses a page at most. */
const usualPageSize = 1000

/** Copies what is left of a step, page by page, each with the note of how far it has come. */
export async function copyStep(work: Work, step: Step, reading: Reading, begun: Progress, onRows: (rows: number) => void): Promise<Progress> {
  if (begun.done) return begun
  await step.prepare?.(work)
  const pageSize = step.pageSize ?? usualPageSize
  let progress = begun
  // The source is asked for the next page while this one is written.
  let coming = reading.page(progress.last, pageSize)
  while (!progress.done) {
    const { rows, next } = await coming
    if (next !== undefined) {
      coming = reading.page(next, pageSize)
      // Whoever waits for it hears of its failure; nobody may, when writing fails first.
      coming.catch(() => {})
    }
    progress = { last: next ?? progress.last, copied: progress.copied + rows.length, done: next === undefined }
    await work.context.writeQueue.submit(async (tx) => {
      if (rows.length > 0) await write(work, step, tx, rows)
      await writeProgress(tx, step.name, progress)
    })
    onRows(rows.length)
  }
  return progress
}

const write = async (work: Work, step: Step, tx: Tx, rows: readonly SourceRow[]): Promise<void> =>
  step.write ? step.write(work, tx, rows) : void (await tx.insert(step.to, rows as Partial<Row<typeof step.to>>[]))

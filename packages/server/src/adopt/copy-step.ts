import type { Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'
import { type Progress, writeProgress } from './adoption-store.ts'
import type { AdoptContext, SourceRow, Step } from './step.ts'
import type { TableReader } from './table-reader.ts'

/** Rows of one transaction. Twice as many were no quicker on either database, and a copy that is ended loses a page at most. */
const defaultPageSize = 1000

/** Copies what is left of a step, page by page, each with the note of how far it has come. */
export async function copyStep(
  adoption: AdoptContext,
  step: Step,
  reading: TableReader,
  begun: Progress,
  onRows: (rows: number) => void,
): Promise<Progress> {
  if (begun.done) return begun
  await step.prepare?.(adoption)
  const pageSize = step.pageSize ?? defaultPageSize
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
    await adoption.context.writeQueue.submit(async (tx) => {
      if (rows.length > 0) await write(adoption, step, tx, rows)
      await writeProgress(tx, step.name, progress)
    })
    onRows(rows.length)
  }
  return progress
}

const write = async (adoption: AdoptContext, step: Step, tx: Tx, rows: readonly SourceRow[]): Promise<void> =>
  step.write ? step.write(adoption, tx, rows) : void (await tx.insert(step.to, rows as Partial<Row<typeof step.to>>[]))

import { installSystemBlocks } from '../domains/blocks/install-system-blocks.ts'
import type { ActingContext } from '../storage/server-context.ts'
import { initialProgress, readProgress } from './adoption-store.ts'
import { allSteps } from './all-steps.ts'
import { copyStep } from './copy-step.ts'
import { finalizeAdoption } from './finalize.ts'
import { prepareTarget } from './prepare-target.ts'
import { type CompletedStep, hasMismatch, listSkippedTables, type Report, toReportLine } from './report.ts'
import { createSecretReader } from './secrets.ts'
import { identifyInstallation } from './source/identify.ts'
import type { Source } from './source/source.ts'
import type { AdoptContext, Step } from './step.ts'
import { createTableReader, type TableReader, unknownColumns } from './table-reader.ts'

export interface AdoptListener {
  /** The rows to copy, and the rows that an earlier attempt copied. */
  onStart(total: number, alreadyCopied: number): void
  /** Called after each page. */
  onCopied(noun: string, rows: number): void
}

export interface AdoptOptions {
  /** The encryption key of the source, when it is not in its database. */
  readonly oldKey?: string | undefined
  /** Whether to continue an interrupted copy. */
  readonly resume: boolean
  readonly listener: AdoptListener
}

interface PlannedStep {
  readonly step: Step
  readonly reader: TableReader
}

/**
 * Adopts an installation: copies all data of a Prefect server into an empty database and compares the row counts. The source is only read. Throws a
 * `SourceError` for problems that the user can fix.
 */
export async function adopt(context: ActingContext, source: Source, { oldKey, resume, listener }: AdoptOptions): Promise<Report> {
  const installation = await identifyInstallation(source)
  const secrets = await createSecretReader(source, oldKey)
  const notes = new Set<string>()
  const { started } = await context.commands.submit((tx) => prepareTarget(tx, installation, { resume, now: context.clock.now() }))
  const adoption: AdoptContext = { source, context, startedAt: started, secrets, addNote: (text) => notes.add(text) }

  const planned = await planSteps(source)
  const progressByStep = await readProgress(context.reads)
  const counted = await Promise.all(planned.map(async ({ step, reader }) => ({ step, reader, counts: await reader.count() })))
  const alreadyCopied = [...progressByStep.values()].reduce((sum, { copied }) => sum + copied, 0)
  listener.onStart(
    counted.reduce((sum, { counts }) => counts.skipped.reduce((rest, { count }) => rest - count, sum + counts.total), 0),
    alreadyCopied,
  )
  for (const text of await listUnknownColumns(source)) notes.add(text)
  const completed: CompletedStep[] = []
  for (const { step, reader, counts } of counted) {
    const progress = await copyStep(adoption, step, reader, progressByStep.get(step.name) ?? initialProgress, (rows) =>
      listener.onCopied(step.noun, rows),
    )
    completed.push({ step, counts, progress })
  }
  await context.commands.submit((tx) => finalizeAdoption(adoption, tx))

  const lines = await Promise.all(completed.map((step) => toReportLine(context.reads, step)))
  const mismatched = lines.filter(hasMismatch).map(({ noun }) => noun)
  // After the count, because these do not come from the source.
  await installSystemBlocks(context)
  return { lines: [...lines, ...(await listSkippedTables(source, allSteps))], notes: [...notes], mismatched }
}

async function planSteps(source: Source): Promise<PlannedStep[]> {
  const found: PlannedStep[] = []
  for (const step of allSteps) {
    const reader = await createTableReader(source, step)
    if (reader) found.push({ step, reader })
  }
  return found
}

/** Notes about columns of newer servers, which are not copied. */
async function listUnknownColumns(source: Source): Promise<string[]> {
  const notes: string[] = []
  for (const table of new Set(allSteps.map(({ from }) => from))) {
    const columns = await unknownColumns(source, table, allSteps)
    if (columns.length > 0) notes.push(`Skipped unknown columns of table ${table}: ${columns.join(', ')}`)
  }
  return notes
}

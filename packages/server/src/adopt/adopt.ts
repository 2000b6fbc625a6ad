import { installSystemBlocks } from '../domains/blocks/install-system-blocks.ts'
import type { ServerContext } from '../storage/server-context.ts'
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
  /** How many rows there are to copy, and how many were by an earlier attempt. */
  onStart(total: number, already: number): void
  /** Rows of a noun are there. */
  onCopied(noun: string, rows: number): void
}

export interface AdoptOptions {
  /** The key of the source's secrets, where it does not lie in its database. */
  readonly oldKey?: string | undefined
  /** Whether to go on with a copy that was begun. */
  readonly resume: boolean
  readonly listener: AdoptListener
}

interface PlannedStep {
  readonly step: Step
  readonly reader: TableReader
}

/**
 * Takes over an installation: copies everything that the other server keeps into our database, which must be empty, and compares the numbers.
 * The source is only read. Ends by throwing a `SourceError` when something is wrong that a person can mend.
 */
export async function adopt(context: ServerContext, source: Source, { oldKey, resume, listener }: AdoptOptions): Promise<Report> {
  const installation = await identifyInstallation(source)
  const secrets = await createSecretReader(source, oldKey)
  const notes = new Set<string>()
  const { started } = await context.writeQueue.submit((tx) => prepareTarget(tx, installation, { resume, now: context.clock.now() }))
  const adoption: AdoptContext = { source, context, startedAt: started, secrets, addNote: (text) => notes.add(text) }

  const planned = await planSteps(source)
  const known = await readProgress(context.reads)
  const counted = await Promise.all(planned.map(async ({ step, reader: reading }) => ({ step, reading, counts: await reading.count() })))
  const already = [...known.values()].reduce((sum, { copied }) => sum + copied, 0)
  listener.onStart(
    counted.reduce((sum, { counts }) => counts.skipped.reduce((rest, { count }) => rest - count, sum + counts.total), 0),
    already,
  )
  for (const text of await listUnknownColumns(source)) notes.add(text)
  const done: CompletedStep[] = []
  for (const { step, reading, counts } of counted) {
    const progress = await copyStep(adoption, step, reading, known.get(step.name) ?? initialProgress, (rows) => listener.onCopied(step.noun, rows))
    done.push({ step, counts, progress })
  }
  await context.writeQueue.submit((tx) => finalizeAdoption(adoption, tx))

  const lines = await Promise.all(done.map((one) => toReportLine(context.reads, one)))
  const differing = lines.filter(hasMismatch).map(({ noun }) => noun)
  // After counting: these come with our server, not from the source.
  await installSystemBlocks(context)
  return { lines: [...lines, ...(await listSkippedTables(source, allSteps))], notes: [...notes], mismatched: differing }
}

async function planSteps(source: Source): Promise<PlannedStep[]> {
  const found: PlannedStep[] = []
  for (const step of allSteps) {
    const reading = await createTableReader(source, step)
    if (reading) found.push({ step, reader: reading })
  }
  return found
}

/** A newer server may keep things that nobody here has heard of. */
async function listUnknownColumns(source: Source): Promise<string[]> {
  const notes: string[] = []
  for (const table of new Set(allSteps.map(({ from }) => from))) {
    const columns = await unknownColumns(source, table, allSteps)
    if (columns.length > 0) notes.push(`Columns of the table ${table} that this version of Millrace does not know stay behind: ${columns.join(', ')}`)
  }
  return notes
}

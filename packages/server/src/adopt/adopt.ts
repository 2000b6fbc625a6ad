import { installSystemBlocks } from '../domains/blocks/install-system-blocks.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { allSteps } from './all-steps.ts'
import { copyStep } from './copy-step.ts'
import { type Reading, readingOf, unknownColumns } from './reading.ts'
import { notBegun, readProgress } from './record.ts'
import { type Done, differs, lineOf, type Report, untouched } from './report.ts'
import { secretReader } from './secrets.ts'
import { settle } from './settle.ts'
import { recognise } from './source/installation.ts'
import type { Source } from './source/source.ts'
import type { Step, Work } from './step.ts'
import { prepareTarget } from './target.ts'

export interface Watcher {
  /** How many rows there are to copy, and how many were by an earlier attempt. */
  begin(total: number, already: number): void
  /** Rows of a noun are there. */
  copied(noun: string, rows: number): void
}

export interface AdoptOptions {
  /** The key of the source's secrets, where it does not lie in its database. */
  readonly oldKey?: string | undefined
  /** Whether to go on with a copy that was begun. */
  readonly resume: boolean
  readonly watcher: Watcher
}

interface Planned {
  readonly step: Step
  readonly reading: Reading
}

/**
 * Takes over an installation: copies everything that the other server keeps into our database, which must be empty, and compares the numbers.
 * The source is only read. Ends by throwing a `SourceError` when something is wrong that a person can mend.
 */
export async function adopt(context: ServerContext, source: Source, { oldKey, resume, watcher }: AdoptOptions): Promise<Report> {
  const installation = await recognise(source)
  const secrets = await secretReader(source, oldKey)
  const notes = new Set<string>()
  const { started } = await context.writeQueue.submit((tx) => prepareTarget(tx, installation, { resume, now: context.clock.now() }))
  const work: Work = { source, context, began: started, secrets, note: (text) => notes.add(text) }

  const planned = await plan(source)
  const known = await readProgress(context.reads)
  const counted = await Promise.all(planned.map(async ({ step, reading }) => ({ step, reading, counts: await reading.count() })))
  const already = [...known.values()].reduce((sum, { copied }) => sum + copied, 0)
  watcher.begin(
    counted.reduce((sum, { counts }) => counts.left.reduce((rest, { count }) => rest - count, sum + counts.total), 0),
    already,
  )
  for (const text of await notesOnColumns(source)) notes.add(text)
  const done: Done[] = []
  for (const { step, reading, counts } of counted) {
    const progress = await copyStep(work, step, reading, known.get(step.name) ?? notBegun, (rows) => watcher.copied(step.noun, rows))
    done.push({ step, counts, progress })
  }
  await context.writeQueue.submit((tx) => settle(work, tx))

  const lines = await Promise.all(done.map((one) => lineOf(context.reads, one)))
  const differing = lines.filter(differs).map(({ noun }) => noun)
  // After counting: these come with our server, not from the source.
  await installSystemBlocks(context)
  return { lines: [...lines, ...(await untouched(source, allSteps))], notes: [...notes], differing }
}

async function plan(source: Source): Promise<Planned[]> {
  const found: Planned[] = []
  for (const step of allSteps) {
    const reading = await readingOf(source, step)
    if (reading) found.push({ step, reading })
  }
  return found
}

/** A newer server may keep things that nobody here has heard of. */
async function notesOnColumns(source: Source): Promise<string[]> {
  const notes: string[] = []
  for (const table of new Set(allSteps.map(({ from }) => from))) {
    const columns = await unknownColumns(source, table, allSteps)
    if (columns.length > 0) notes.push(`Columns of the table ${table} that this version of Millrace does not know stay behind: ${columns.join(', ')}`)
  }
  return notes
}

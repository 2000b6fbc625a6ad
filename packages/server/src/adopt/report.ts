import { type Db, statement } from '../storage/database.ts'
import type { Progress } from './adoption-store.ts'
import { skippedTables } from './all-steps.ts'
import type { Source } from './source/source.ts'
import type { Step } from './step.ts'
import type { Counts } from './table-reader.ts'

/** A line of what is shown at the end. */
export interface ReportLine {
  readonly noun: string
  readonly source: number
  readonly adopted: number
  readonly skipped: number
  readonly reason: string
}

export interface Report {
  readonly lines: readonly ReportLine[]
  readonly notes: readonly string[]
  /** Nouns whose numbers do not add up. */
  readonly mismatched: readonly string[]
}

/** What was counted and done for a step. */
export interface CompletedStep {
  readonly step: Step
  readonly counts: Counts
  readonly progress: Progress
}

/** Counts what is there now, rather than believing what was copied. */
export async function toReportLine(db: Db, { step, counts, progress }: CompletedStep): Promise<ReportLine> {
  const adopted = step.countFilter === 'as copied' ? progress.copied : await countRows(db, step)
  const skipped = counts.skipped.reduce((sum, { count }) => sum + count, 0)
  const reason = counts.skipped.map((left) => (counts.skipped.length > 1 ? `${left.count}: ${left.reason}` : left.reason)).join('; ')
  return { noun: step.noun, source: counts.total, adopted, skipped, reason }
}

async function countRows(db: Db, { to, countFilter: counted }: Step): Promise<number> {
  const query = statement(`select count(*) as count from ${to} ${counted ? `where ${counted}` : ''}`)
  return Number((await db.first<{ count: number }>(query))?.count)
}

export const hasMismatch = ({ source, adopted, skipped }: ReportLine): boolean => source !== adopted + skipped

/** Tables of the source that no step reads: known ones with why, unknown ones so that nobody finds out later. */
export async function listSkippedTables(source: Source, steps: readonly Step[]): Promise<ReportLine[]> {
  const read = new Set(steps.map(({ from }) => from))
  const lines: ReportLine[] = []
  for (const table of await source.tables()) {
    if (table === 'alembic_version' || (read.has(table) && !Object.hasOwn(skippedTables, table))) continue
    // One of its rows may be another step's.
    const among = steps.flatMap((step) => (step.from === table && step.rowFilter ? [`not (${step.rowFilter})`] : []))
    const where = among.length > 0 ? `where ${among.join(' and ')}` : ''
    const [row] = await source.all<{ count: number }>(`select count(*) as count from ${table} ${where}`)
    const count = Number(row?.count)
    if (count > 0) {
      const reason = skippedTables[table] ?? 'this version of Millrace does not know the table'
      lines.push({ noun: table.replaceAll('_', ' '), source: count, adopted: 0, skipped: count, reason })
    }
  }
  return lines
}

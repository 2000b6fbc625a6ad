import { type Db, statement } from '../storage/database.ts'
import type { Progress } from './adoption-store.ts'
import { skippedTables } from './all-steps.ts'
import type { Source } from './source/source.ts'
import type { Step } from './step.ts'
import type { Counts } from './table-reader.ts'

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
  /** Nouns whose counts differ. */
  readonly mismatched: readonly string[]
}

export interface CompletedStep {
  readonly step: Step
  readonly counts: Counts
  readonly progress: Progress
}

/** Counts the rows in the target instead of trusting the number of copied rows. */
export async function toReportLine(db: Db, { step, counts, progress }: CompletedStep): Promise<ReportLine> {
  const adopted = step.countFilter === 'as copied' ? progress.copied : await countRows(db, step)
  const skipped = counts.skipped.reduce((sum, { count }) => sum + count, 0)
  const reason = counts.skipped.map(({ count, reason }) => (counts.skipped.length > 1 ? `${count}: ${reason}` : reason)).join('; ')
  return { noun: step.noun, source: counts.total, adopted, skipped, reason }
}

async function countRows(db: Db, { to, countFilter }: Step): Promise<number> {
  const query = statement(`select count(*) as count from ${to} ${countFilter ? `where ${countFilter}` : ''}`)
  return Number((await db.first<{ count: number }>(query))?.count)
}

export const hasMismatch = ({ source, adopted, skipped }: ReportLine): boolean => source !== adopted + skipped

/** Tables of the source that no step reads, with the reason. Unknown tables are listed too. */
export async function listSkippedTables(source: Source, steps: readonly Step[]): Promise<ReportLine[]> {
  const read = new Set(steps.map(({ from }) => from))
  const lines: ReportLine[] = []
  for (const table of await source.tables()) {
    if (table === 'alembic_version' || (read.has(table) && !Object.hasOwn(skippedTables, table))) continue
    // Rows that a step reads are not skipped.
    const conditions = steps.flatMap((step) => (step.from === table && step.rowFilter ? [`not (${step.rowFilter})`] : []))
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
    const [row] = await source.all<{ count: number }>(`select count(*) as count from ${table} ${where}`)
    const count = Number(row?.count)
    if (count > 0) {
      const reason = skippedTables[table] ?? 'unknown table'
      lines.push({ noun: table.replaceAll('_', ' '), source: count, adopted: 0, skipped: count, reason })
    }
  }
  return lines
}

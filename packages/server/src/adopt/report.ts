import { type Db, statement } from '../storage/database.ts'
import { leftBehind } from './all-steps.ts'
import type { Counts } from './reading.ts'
import type { Progress } from './record.ts'
import type { Source } from './source/source.ts'
import type { Step } from './step.ts'

/** A line of what is shown at the end. */
export interface Line {
  readonly noun: string
  readonly source: number
  readonly adopted: number
  readonly skipped: number
  readonly reason: string
}

export interface Report {
  readonly lines: readonly Line[]
  readonly notes: readonly string[]
  /** Nouns whose numbers do not add up. */
  readonly differing: readonly string[]
}

/** What was counted and done for a step. */
export interface Done {
  readonly step: Step
  readonly counts: Counts
  readonly progress: Progress
}

/** Counts what is there now, rather than believing what was copied. */
export async function lineOf(db: Db, { step, counts, progress }: Done): Promise<Line> {
  const adopted = step.counted === 'as copied' ? progress.copied : await countRows(db, step)
  const skipped = counts.left.reduce((sum, { count }) => sum + count, 0)
  const reason = counts.left.map((left) => (counts.left.length > 1 ? `${left.count}: ${left.reason}` : left.reason)).join('; ')
  return { noun: step.noun, source: counts.total, adopted, skipped, reason }
}

async function countRows(db: Db, { to, counted }: Step): Promise<number> {
  const query = statement(`select count(*) as count from ${to} ${counted ? `where ${counted}` : ''}`)
  return Number((await db.first<{ count: number }>(query))?.count)
}

export const differs = ({ source, adopted, skipped }: Line): boolean => source !== adopted + skipped

/** Tables of the source that no step reads: known ones with why, unknown ones so that nobody finds out later. */
export async function untouched(source: Source, steps: readonly Step[]): Promise<Line[]> {
  const read = new Set(steps.map(({ from }) => from))
  const lines: Line[] = []
  for (const table of await source.tables()) {
    if (table === 'alembic_version' || (read.has(table) && !Object.hasOwn(leftBehind, table))) continue
    // One of its rows may be another step's.
    const among = steps.flatMap((step) => (step.from === table && step.among ? [`not (${step.among})`] : []))
    const where = among.length > 0 ? `where ${among.join(' and ')}` : ''
    const [row] = await source.all<{ count: number }>(`select count(*) as count from ${table} ${where}`)
    const count = Number(row?.count)
    if (count > 0) {
      const reason = leftBehind[table] ?? 'this version of Millrace does not know the table'
      lines.push({ noun: table.replaceAll('_', ' '), source: count, adopted: 0, skipped: count, reason })
    }
  }
  return lines
}

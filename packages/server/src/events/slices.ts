import type { Db } from '../storage/database.ts'
import { quarterMicros } from './spans.ts'
import { tallyQuarters } from './tally.ts'
import type { Range } from './where.ts'

/**
 * Cuts a range into pieces of about as many events as may be looked at one by one without holding anybody up: on SQLite a query runs in the
 * server's own thread, and to search a million events takes seconds. Oldest first.
 */
export async function slicesOf(db: Db, range: Range): Promise<Range[]> {
  const most = db.dialect.rowsAtOnce
  const slices: Range[] = []
  let since = range.since
  let gathered = 0
  const cut = (until: number) => {
    if (until < since) return
    slices.push({ since, until })
    since = until + 1
    gathered = 0
  }
  for (const { quarter, count, oldest, newest } of await tallyQuarters(db, range)) {
    if (gathered > 0 && gathered + count > most) cut(quarter - 1)
    gathered += count
    // A burst: by the time between its first event and its last.
    const pieces = Math.ceil(count / most)
    for (let piece = 1; piece < pieces; piece += 1) cut(Math.min(range.until, Math.floor(oldest + ((newest - oldest) * piece) / pieces)))
    if (gathered >= most) cut(Math.min(range.until, quarter + quarterMicros - 1))
  }
  cut(range.until)
  return slices
}

import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readEventsAfter, readHead } from '../cursor.ts'
import { keepChapter, readLastKept, readTrims } from './chapter-store.ts'
import { ChapterMaker, eventsMax } from './make-chapter.ts'

/** Rows that are read and taken apart in one go: some milliseconds, so that requests come in between. */
const rowsAtOnce = 100

/** Makes a chapter of the oldest events that are in none and keeps it; false while there are not enough of them. */
export async function keepNextChapter({ writeQueue, reads }: ServerContext, signal: AbortSignal, size = eventsMax): Promise<boolean> {
  const trims = await readTrims(reads)
  let head = await readLastKept(reads)
  if ((await readHead(reads)) - head < size) return false
  const maker = new ChapterMaker(size)
  while (maker.count < size) {
    const rows = await readEventsAfter(reads, head, Math.min(rowsAtOnce, size - maker.count))
    // Positions have gaps: there may be fewer events than it seemed.
    if (rows.length === 0 || signal.aborted) return false
    for (const row of rows) maker.add(row)
    head = rows.at(-1)?.position as number
    await yieldToEventLoop()
  }
  const bounds = maker.bounds()
  const made = await maker.make()
  if (!made) return false
  return writeQueue.submit(async (tx) => {
    // Of what was trimmed while it was made it would not know.
    if ((await readTrims(tx)) !== trims) return false
    return keepChapter(tx, bounds, made)
  })
}

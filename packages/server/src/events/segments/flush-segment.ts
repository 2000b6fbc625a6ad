import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readEventsAfter, readHead } from '../cursor.ts'
import { insertSegment, readLastStoredPosition, readTrimCount } from './segment-store.ts'
import { SegmentWriter, segmentEventsMax } from './segment-writer.ts'

/** Rows that are read and taken apart in one go: some milliseconds, so that requests come in between. */
const readBatchSize = 100

/** Makes a chapter of the oldest events that are in none and keeps it; false while there are not enough of them. */
export async function flushNextSegment({ writeQueue, reads }: ServerContext, signal: AbortSignal, size = segmentEventsMax): Promise<boolean> {
  const trims = await readTrimCount(reads)
  let head = await readLastStoredPosition(reads)
  if ((await readHead(reads)) - head < size) return false
  const writer = new SegmentWriter(size)
  while (writer.count < size) {
    const rows = await readEventsAfter(reads, head, Math.min(readBatchSize, size - writer.count))
    // Positions have gaps: there may be fewer events than it seemed.
    if (rows.length === 0 || signal.aborted) return false
    for (const row of rows) writer.add(row)
    head = rows.at(-1)?.position as number
    await yieldToEventLoop()
  }
  const bounds = writer.bounds()
  const made = await writer.encode()
  if (!made) return false
  return writeQueue.submit(async (tx) => {
    // Of what was trimmed while it was made it would not know.
    if ((await readTrimCount(tx)) !== trims) return false
    return insertSegment(tx, bounds, made)
  })
}

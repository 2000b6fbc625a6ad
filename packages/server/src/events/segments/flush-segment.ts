import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readEventsAfter, readHead } from '../cursor.ts'
import { insertSegment, readLastStoredPosition, readTrimCount } from './segment-store.ts'
import { SegmentWriter, segmentEventsMax } from './segment-writer.ts'

/** Rows per query: some milliseconds of work, so that requests are not delayed. */
const readBatchSize = 100

/** Stores a segment of the oldest events that are in none. False when there are fewer than `size`. */
export async function flushNextSegment({ writeQueue, reads }: ServerContext, signal: AbortSignal, size = segmentEventsMax): Promise<boolean> {
  const trimCount = await readTrimCount(reads)
  let head = await readLastStoredPosition(reads)
  if ((await readHead(reads)) - head < size) return false
  const writer = new SegmentWriter(size)
  while (writer.count < size) {
    const rows = await readEventsAfter(reads, head, Math.min(readBatchSize, size - writer.count))
    // Positions have gaps, so there may be fewer events than the positions suggest.
    if (rows.length === 0 || signal.aborted) return false
    for (const row of rows) writer.add(row)
    head = rows.at(-1)?.position as number
    await yieldToEventLoop()
  }
  const bounds = writer.bounds()
  const parts = await writer.encode()
  if (!parts) return false
  return writeQueue.submit(async (tx) => {
    // The segment may contain events that were removed while it was built.
    if ((await readTrimCount(tx)) !== trimCount) return false
    return insertSegment(tx, bounds, parts)
  })
}

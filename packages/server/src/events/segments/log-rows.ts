import { type Db, statement } from '../../storage/database.ts'
import type { EventRow } from '../store.ts'
import type { SegmentRows } from './segment-rows.ts'
import { forCurrentSize, readSegmentsAfter, rowsAfterPosition } from './segment-store.ts'

/** One snapshot, so that an event that moves into a segment is either among the rows or at most at `stored_until`. */
const rowsAfter = statement(
  `select (select coalesce(max(last), 0) from event_segment) as stored_until, event.* from (select 1 as one) one
    left join ${rowsAfterPosition} event on 1 = 1 order by event.position`,
  forCurrentSize,
)

/** Segments per query. */
const segmentBatchSize = 4

/**
 * The next rows of the log after a position, from the table and from segments. The table is read first: an event that moves in between is then in a
 * segment.
 */
export async function readRowsAfter(db: Db, segmentRows: SegmentRows, position: number, limit: number): Promise<EventRow[]> {
  const read = await db.all<EventRow & { stored_until: number }>(rowsAfter, [position, limit])
  const storedUntil = read[0]?.stored_until ?? 0
  // Without rows there is one with `stored_until` only.
  const rows = (read[0]?.position ?? null) === null ? [] : read.map(({ stored_until: _, ...row }) => row)
  if (storedUntil <= position) return rows
  const stored = await readStoredAfter(db, segmentRows, position, limit)
  // Both lists have the first `limit` rows of their place. Some may be in both.
  const byPosition = new Map([...rows, ...stored].map((row) => [row.position, row]))
  return [...byPosition.values()].sort((a, b) => a.position - b.position).slice(0, limit)
}

async function readStoredAfter(db: Db, segmentRows: SegmentRows, position: number, limit: number): Promise<EventRow[]> {
  const found: EventRow[] = []
  for (let head = position; ; ) {
    const refs = await readSegmentsAfter(db, head, segmentBatchSize)
    for (const ref of refs) {
      found.push(...(await segmentRows.after(ref, position, limit - found.length)))
      if (found.length >= limit) return found
      head = ref.last
    }
    if (refs.length < segmentBatchSize) return found
  }
}

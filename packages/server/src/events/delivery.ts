import { afterSeconds } from '../lib/time.ts'
import type { TimeSlice } from '../lib/time-slice.ts'
import type { Listener } from './listener.ts'
import { LoggedEvent } from './logged-event.ts'
import { matchesEvent } from './match-event.ts'
import type { EventRow } from './store.ts'

/** With so much unsent, a subscriber is sent nothing more until it has read what it got. */
export const unsentBytesMax = 1024 * 1024

/**
 * Sends a subscriber those of the rows that match its filter, until too much waits to be sent. Tells how many rows were dealt with: the caller lets go of the
 * others and reads them again when the subscriber has read on, so that a slow one holds no memory but what is unsent.
 */
export async function deliver(listener: Listener, rows: readonly EventRow[], slice: TimeSlice): Promise<number> {
  for (const [index, row] of rows.entries()) {
    if (listener.signal.aborted || listener.unsentBytes > unsentBytesMax) return index
    const event = new LoggedEvent(row)
    if (matchesEvent(listener.criteria, event)) listener.send(event)
    if (slice.isExhausted) await slice.next()
  }
  return rows.length
}

/** Waits until a subscriber has read what it was sent; one that reads nothing for so long is let go. */
export async function waitUntilDrained(listener: Listener, timeoutSeconds: number): Promise<void> {
  if (listener.unsentBytes === 0) return
  const stop = afterSeconds(timeoutSeconds, () => listener.disconnect())
  await listener.waitForDrain()
  stop()
}

/** Rows of a read: about a megabyte of them, judged by the rows of the read before. */
const batchBytes = 1024 * 1024
const initialRows = 16
const rowsMax = 200

/** How many rows to read next. Events are a few hundred bytes mostly, and may be larger than a megabyte. */
export class AdaptiveBatchSize {
  rows = initialRows

  adapt(rows: readonly EventRow[]): void {
    if (rows.length === 0) return
    let characters = 0
    for (const { resource, related, payload } of rows) characters += resource.length + related.length + payload.length
    this.rows = Math.max(1, Math.min(rowsMax, this.rows * 4, Math.floor(batchBytes / (characters / rows.length + 1))))
  }
}

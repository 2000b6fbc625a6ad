import { afterSeconds } from '../lib/time.ts'
import type { TimeSlice } from '../lib/time-slice.ts'
import { perServer } from '../storage/server-context.ts'
import type { Criteria } from './criteria.ts'
import { LoggedEvent } from './logged-event.ts'
import { MatchLimitExceeded } from './match-budget.ts'
import { matchesEvent } from './match-event.ts'
import type { EventRow } from './store.ts'

/** A subscriber to events, independent of its transport. */
export interface Listener {
  readonly criteria: Criteria
  readonly signal: AbortSignal
  /** Bytes that were passed to `send` and are still buffered. */
  readonly unsentBytes: number
  waitForDrain(): Promise<void>
  send(event: LoggedEvent): void
  /** Called when the client has read nothing for too long. */
  disconnect(): void
  /** Called when its filter cannot be answered. */
  reject(reason: string): void
}

/** Whether an event is sent to a subscriber. Rejects one whose patterns take too long to match. */
export function isWanted({ criteria, reject }: Pick<Listener, 'criteria' | 'reject'>, event: LoggedEvent): boolean {
  try {
    return matchesEvent(criteria, event)
  } catch (error) {
    if (!(error instanceof MatchLimitExceeded)) throw error
    reject(error.reason)
    return false
  }
}

/** Subscribers that read the log on their own, and are sent what was read, at the same time. Others wait, so that a hundred new connections do not occupy the database. */
const concurrentReadersMax = 4

type LimitedRead = <R>(work: () => Promise<R>) => Promise<R>

/** Runs reads of the log with limited concurrency. */
export const readLimiter = perServer((): LimitedRead => {
  const waiting: (() => void)[] = []
  let reading = 0
  return async (work) => {
    // A finished read passes its place to the next waiter, so a newcomer cannot overtake.
    if (reading >= concurrentReadersMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else reading += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else reading -= 1
    }
  }
})

/** Above this, nothing more is sent to a subscriber until it has read. */
export const unsentBytesMax = 256 * 1024

/**
 * Sends the matching rows to a subscriber until its buffer is full. Returns how many rows were handled. The caller drops the others and reads them again
 * later, so that a slow subscriber holds no memory beyond its buffer.
 */
export async function deliver(listener: Listener, rows: readonly EventRow[], slice: TimeSlice): Promise<number> {
  for (const [index, row] of rows.entries()) {
    if (listener.signal.aborted || listener.unsentBytes > unsentBytesMax) return index
    const event = new LoggedEvent(row)
    if (isWanted(listener, event)) listener.send(event)
    if (slice.isExhausted) await slice.next()
  }
  return rows.length
}

/** Waits until a subscriber has read its buffer. Disconnects it after the timeout. */
export async function waitUntilDrained(listener: Listener, timeoutSeconds: number): Promise<void> {
  if (listener.unsentBytes === 0) return
  const stop = afterSeconds(timeoutSeconds, () => listener.disconnect())
  await listener.waitForDrain()
  stop()
}

/** Target size of one read. */
const batchBytes = 512 * 1024
const initialRows = 16
const rowsMax = 200

/** How many rows to read next, from the size of the previous rows. Most events have a few hundred bytes, but some exceed a megabyte. */
export class AdaptiveBatchSize {
  rows = initialRows

  adapt(rows: readonly EventRow[]): void {
    if (rows.length === 0) return
    let characters = 0
    for (const { resource, related, payload } of rows) characters += resource.length + related.length + payload.length
    this.rows = Math.max(1, Math.min(rowsMax, this.rows * 4, Math.floor(batchBytes / (characters / rows.length + 1))))
  }
}

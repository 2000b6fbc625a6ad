import { TimeSlice } from '../lib/time-slice.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Criteria } from './criteria.ts'
import { AdaptiveBatchSize, deliver, type Listener, readLimiter, waitUntilDrained } from './delivery.ts'
import { findEvents } from './find-events.ts'
import { readEventsByKey } from './log-reader.ts'
import type { EventKey } from './store.ts'

/** Sends the matching events up to a position, oldest first and page by page, no faster than the client reads. */
export async function sendBackfill(context: ServerContext, listener: Listener, head: number): Promise<void> {
  const { heavyReads: reads, config } = context
  const inSlot = readLimiter(context)
  const limit = config.events.websocket_backfill_page_size
  const slice = new TimeSlice()
  const size = new AdaptiveBatchSize()
  for (let after: EventKey | undefined; !listener.signal.aborted; ) {
    // A given total skips the count.
    const request = { limit, total: Number.MAX_SAFE_INTEGER, ...(after ? { after } : {}) }
    const { keys } = await inSlot(() => findEvents(reads, remainingCriteria(listener.criteria, after), request))
    await sendPage(keys)
    after = keys.at(-1)
    if (keys.length < limit) return
    await slice.next()
  }

  async function sendPage(keys: readonly EventKey[]): Promise<void> {
    for (let sent = 0; sent < keys.length && !listener.signal.aborted; ) {
      await waitUntilDrained(listener, config.server.api.websocket_ping_timeout_seconds)
      const next = keys.slice(sent, sent + size.rows)
      const stopped = await inSlot(async () => {
        const rows = (await readEventsByKey(reads, next)).filter(({ position }) => position <= head)
        size.adapt(rows)
        return rows[await deliver(listener, rows, slice)]
      })
      // A key may have no row: retention may have removed it.
      sent += stopped ? next.findIndex(({ position }) => position === stopped.position) : next.length
      if (slice.isExhausted) await slice.next()
    }
  }
}

/** Excludes what was sent, except for `distinct`: the first event of each resource depends on all events. */
const remainingCriteria = (criteria: Criteria, after: EventKey | undefined): Criteria =>
  after && !criteria.distinct ? { ...criteria, since: Math.max(criteria.since, after.occurred) } : criteria

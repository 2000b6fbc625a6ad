import { TimeSlice } from '../lib/time-slice.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Criteria } from './criteria.ts'
import { AdaptiveBatchSize, deliver, waitUntilDrained } from './delivery.ts'
import { findEvents } from './find-events.ts'
import type { Listener } from './listener.ts'
import { readLimiter } from './read-slots.ts'
import { type EventKey, readEventsByKey } from './store.ts'

/** Sends what matches of the log up to a position, oldest first, a page at a time and no faster than it is read. */
export async function sendBackfill(context: ServerContext, listener: Listener, head: number): Promise<void> {
  const { reads, config } = context
  const inSlot = readLimiter(context)
  const limit = config.events.websocket_backfill_page_size
  const slice = new TimeSlice()
  const size = new AdaptiveBatchSize()
  for (let after: EventKey | undefined; !listener.signal.aborted; ) {
    // A total that is given is not counted.
    const wanted = { limit, total: Number.MAX_SAFE_INTEGER, ...(after ? { after } : {}) }
    const { keys: places } = await inSlot(() => findEvents(reads, remainingCriteria(listener.criteria, after), wanted))
    await sendPage(places)
    after = places.at(-1)
    if (places.length < limit) return
    await slice.next()
  }

  async function sendPage(places: readonly EventKey[]): Promise<void> {
    for (let sent = 0; sent < places.length && !listener.signal.aborted; ) {
      await waitUntilDrained(listener, config.server.api.websocket_ping_timeout_seconds)
      const next = places.slice(sent, sent + size.rows)
      const rows = (await inSlot(() => readEventsByKey(reads, next))).filter(({ position }) => position <= head)
      size.adapt(rows)
      const delivered = await deliver(listener, rows, slice)
      // Places may have no row, when it was trimmed since.
      const stopped = rows[delivered]
      sent += stopped ? next.findIndex(({ position }) => position === stopped.position) : next.length
      if (slice.isExhausted) await slice.next()
    }
  }
}

/** What was sent need not be looked through again; only the first event of each resource cannot be told without it. */
const remainingCriteria = (criteria: Criteria, after: EventKey | undefined): Criteria =>
  after && !criteria.distinct ? { ...criteria, since: Math.max(criteria.since, after.occurred) } : criteria

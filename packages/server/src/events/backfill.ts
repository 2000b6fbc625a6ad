import { TimeSlice } from '../lib/time-slice.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Criteria } from './criteria.ts'
import { deliver, ReadSize, untilDrained } from './deliver.ts'
import type { Listener } from './listener.ts'
import { findEvents } from './page.ts'
import { readSlots } from './read-slots.ts'
import { type Place, readEventsAt } from './store.ts'

/** Sends what matches of the log up to a position, oldest first, a page at a time and no faster than it is read. */
export async function sendPast(context: ServerContext, listener: Listener, head: number): Promise<void> {
  const { reads, config } = context
  const inSlot = readSlots(context)
  const limit = config.events.websocket_backfill_page_size
  const slice = new TimeSlice()
  const size = new ReadSize()
  for (let after: Place | undefined; !listener.signal.aborted; ) {
    // A total that is given is not counted.
    const wanted = { limit, total: Number.MAX_SAFE_INTEGER, ...(after ? { after } : {}) }
    const { places } = await inSlot(() => findEvents(reads, remaining(listener.criteria, after), wanted))
    await sendPage(places)
    after = places.at(-1)
    if (places.length < limit) return
    await slice.next()
  }

  async function sendPage(places: readonly Place[]): Promise<void> {
    for (let sent = 0; sent < places.length && !listener.signal.aborted; ) {
      await untilDrained(listener, config.server.api.websocket_ping_timeout_seconds)
      const next = places.slice(sent, sent + size.rows)
      const rows = (await inSlot(() => readEventsAt(reads, next))).filter(({ position }) => position <= head)
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
const remaining = (criteria: Criteria, after: Place | undefined): Criteria =>
  after && !criteria.distinct ? { ...criteria, since: Math.max(criteria.since, after.occurred) } : criteria

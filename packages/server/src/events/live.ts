import { afterSeconds } from '../lib/time.ts'
import { TimeSlice } from '../lib/time-slice.ts'
import { perServer } from '../storage/server-context.ts'
import { readEventsAfter, readHead } from './cursor.ts'
import { AdaptiveBatchSize, deliver, isWanted, type Listener, readLimiter, unsentBytesMax, waitUntilDrained } from './delivery.ts'
import { LoggedEvent } from './logged-event.ts'

/** With several servers the log is also polled, because notifications do not pass a connection pooler. */
const pollEverySeconds = 1

interface Subscriber {
  readonly listener: Listener
  /** The last position that was evaluated for this subscriber. */
  position: number
}

export interface LiveEvents {
  /** The end of the log. A new listener starts after it. */
  head(): Promise<number>
  /** Sends a listener every matching event after a position, once and in log order, until its signal aborts. */
  subscribe(listener: Listener, after: number): Promise<void>
}

/**
 * Tails the log with one reader for all subscribers of this process. The reader keeps a position, so late or duplicate notifications are harmless. A slow
 * subscriber leaves the group and catches up from the log on its own, so that it does not delay the others.
 */
export const liveEvents = perServer((context): LiveEvents => {
  const subscribers = createSubscriberIndex()
  const inSlot = readLimiter(context)
  let position: number | undefined
  let reading = false
  let again = false
  let subscriberCount = 0
  let stopTailing: (() => void) | undefined

  function wake(): void {
    again = true
    if (!reading) void read()
  }

  async function read(): Promise<void> {
    reading = true
    const slice = new TimeSlice()
    const size = new AdaptiveBatchSize()
    try {
      while (again && position !== undefined && subscriberCount > 0) {
        again = false
        const wanted = size.rows
        const rows = await readEventsAfter(context.reads, position, wanted)
        size.adapt(rows)
        for (const row of rows) {
          publish(new LoggedEvent(row))
          // Updated per event: a subscriber that joins during a pause compares with it.
          position = Math.max(position, row.position)
          if (slice.isExhausted) await slice.next()
        }
        if (rows.length === wanted) again = true
        if (again) await slice.next()
      }
    } catch {
      // The database is unavailable. The next notification or poll reads the missed events.
    } finally {
      reading = false
    }
  }

  function publish(event: LoggedEvent): void {
    for (const subscriber of subscribers.of(event.event)) {
      if (event.row.position <= subscriber.position) continue
      subscriber.position = event.row.position
      if (!isWanted(subscriber.listener, event)) continue
      subscriber.listener.send(event)
      if (subscriber.listener.unsentBytes <= unsentBytesMax) continue
      subscribers.remove(subscriber)
      void catchUp(subscriber)
    }
  }

  /** Reads the log for one subscriber until it has reached the shared position, then adds it to the group. */
  async function catchUp(subscriber: Subscriber): Promise<void> {
    const { listener } = subscriber
    const slice = new TimeSlice()
    const size = new AdaptiveBatchSize()
    while (!listener.signal.aborted) {
      await waitUntilDrained(listener, context.config.server.api.websocket_ping_timeout_seconds)
      const wanted = size.rows
      // What was read is sent before others read: sixty subscribers that take their slice of the same turn would stop all other requests for it.
      const isAtEnd = await inSlot(async () => {
        const rows = await readEventsAfter(context.reads, subscriber.position, wanted)
        size.adapt(rows)
        const delivered = await deliver(listener, rows, slice)
        subscriber.position = rows[delivered - 1]?.position ?? subscriber.position
        return delivered === rows.length && rows.length < wanted
      }).catch(() => undefined)
      if (isAtEnd && subscriber.position >= (position ?? 0)) break
      if (isAtEnd === undefined) await new Promise<void>((resolve) => afterSeconds(pollEverySeconds, resolve))
      else await slice.next()
    }
    if (!listener.signal.aborted) subscribers.add(subscriber)
  }

  function startTailing(): void {
    const unsubscribe = context.bus.on('events', wake)
    let stopPolling: (() => void) | undefined
    const poll = () => {
      wake()
      stopPolling = afterSeconds(pollEverySeconds, poll)
    }
    if (context.reads.dialect.isShared) stopPolling = afterSeconds(pollEverySeconds, poll)
    stopTailing = () => {
      unsubscribe()
      stopPolling?.()
    }
  }

  return {
    async head() {
      const head = position !== undefined && subscriberCount > 0 ? position : await readHead(context.reads)
      // The position is stale: nothing is read without subscribers.
      if (subscriberCount === 0) position = head
      return head
    },
    async subscribe(listener, after) {
      if (listener.signal.aborted) return
      subscriberCount += 1
      if (subscriberCount === 1) {
        position = after
        startTailing()
      }
      const subscriber = { listener, position: after }
      void catchUp(subscriber)
      await new Promise<void>((resolve) => listener.signal.addEventListener('abort', () => resolve(), { once: true }))
      subscribers.remove(subscriber)
      subscriberCount -= 1
      if (subscriberCount === 0) stopTailing?.()
    },
  }
})

/** Indexes subscribers by event name. Most want a few names and are skipped for all others. */
function createSubscriberIndex() {
  const named = new Map<string, Set<Subscriber>>()
  const others = new Set<Subscriber>()
  const namesOf = ({ listener }: Subscriber): readonly string[] => listener.criteria.names?.names ?? []
  return {
    add(subscriber: Subscriber): void {
      const names = namesOf(subscriber)
      if (names.length === 0) others.add(subscriber)
      for (const name of names) named.set(name, (named.get(name) ?? new Set()).add(subscriber))
    },
    remove(subscriber: Subscriber): void {
      others.delete(subscriber)
      for (const name of namesOf(subscriber)) {
        const group = named.get(name)
        group?.delete(subscriber)
        if (group?.size === 0) named.delete(name)
      }
    },
    of(name: string): readonly Subscriber[] {
      return [...(named.get(name) ?? []), ...others]
    },
  }
}

import { afterSeconds } from '../lib/time.ts'
import { TimeSlice } from '../lib/time-slice.ts'
import { perServer } from '../storage/server-context.ts'
import { readEventsAfter, readHead } from './cursor.ts'
import { AdaptiveBatchSize, deliver, unsentBytesMax, waitUntilDrained } from './delivery.ts'
import type { Listener } from './listener.ts'
import { LoggedEvent } from './logged-event.ts'
import { matchesEvent } from './match-event.ts'
import { readLimiter } from './read-slots.ts'

/** Where other servers write as well we also look by ourselves: behind a proxy that pools connections nobody may hear of what they wrote. */
const pollEverySeconds = 1

interface Subscriber {
  readonly listener: Listener
  /** It has heard everything up to here. */
  position: number
}

export interface LiveEvents {
  /** The end of the log: what a new listener hears begins after it. */
  head(): Promise<number>
  /** Shows a listener every event after a position, in the order of the log, each once, until its signal ends. */
  subscribe(listener: Listener, after: number): Promise<void>
}

/**
 * The log as it grows: one reader for all who listen in this process. Events are read behind a position, so that a wake-up that comes late or
 * twice does no harm. Somebody who reads slowly costs the others nothing: it is left behind, and catches up from the log.
 */
export const liveEvents = perServer((context): LiveEvents => {
  const audience = createSubscriberIndex()
  const inSlot = readLimiter(context)
  let position: number | undefined
  let reading = false
  let again = false
  let followers = 0
  let stopListening: (() => void) | undefined

  function wake(): void {
    again = true
    if (!reading) void read()
  }

  async function read(): Promise<void> {
    reading = true
    const slice = new TimeSlice()
    const size = new AdaptiveBatchSize()
    try {
      while (again && position !== undefined && followers > 0) {
        again = false
        const wanted = size.rows
        const rows = await readEventsAfter(context.reads, position, wanted)
        size.adapt(rows)
        for (const row of rows) {
          show(new LoggedEvent(row))
          // With each event: a subscriber that comes during a pause must know how far the others are.
          position = Math.max(position, row.position)
          if (slice.isExhausted) await slice.next()
        }
        if (rows.length === wanted) again = true
        if (again) await slice.next()
      }
    } catch {
      // The database is away for the moment; the next event or look finds what was missed.
    } finally {
      reading = false
    }
  }

  function show(event: LoggedEvent): void {
    for (const subscriber of audience.of(event.event)) {
      if (event.row.position <= subscriber.position) continue
      subscriber.position = event.row.position
      if (!matchesEvent(subscriber.listener.criteria, event)) continue
      subscriber.listener.send(event)
      if (subscriber.listener.unsentBytes <= unsentBytesMax) continue
      audience.remove(subscriber)
      void catchUp(subscriber)
    }
  }

  /** Reads the log for one subscriber until it has come to where the others are, and lets it join them. */
  async function catchUp(subscriber: Subscriber): Promise<void> {
    const { listener } = subscriber
    const slice = new TimeSlice()
    const size = new AdaptiveBatchSize()
    while (!listener.signal.aborted) {
      await waitUntilDrained(listener, context.config.server.api.websocket_ping_timeout_seconds)
      const wanted = size.rows
      const rows = await inSlot(() => readEventsAfter(context.reads, subscriber.position, wanted)).catch(() => undefined)
      if (rows) {
        size.adapt(rows)
        const delivered = await deliver(listener, rows, slice)
        subscriber.position = rows[delivered - 1]?.position ?? subscriber.position
        if (delivered === rows.length && rows.length < wanted && subscriber.position >= (position ?? 0)) break
        await slice.next()
      } else await new Promise<void>((resolve) => afterSeconds(pollEverySeconds, resolve))
    }
    if (!listener.signal.aborted) audience.add(subscriber)
  }

  function listen(): void {
    const deaf = context.bus.on('events', wake)
    let stopLooking: (() => void) | undefined
    const look = () => {
      wake()
      stopLooking = afterSeconds(pollEverySeconds, look)
    }
    if (context.reads.dialect.isShared) stopLooking = afterSeconds(pollEverySeconds, look)
    stopListening = () => {
      deaf()
      stopLooking?.()
    }
  }

  return {
    async head() {
      const head = position !== undefined && followers > 0 ? position : await readHead(context.reads)
      // Nobody read on while nobody followed.
      if (followers === 0) position = head
      return head
    },
    async subscribe(listener, after) {
      if (listener.signal.aborted) return
      followers += 1
      if (followers === 1) {
        position = after
        listen()
      }
      const subscriber = { listener, position: after }
      void catchUp(subscriber)
      await new Promise<void>((resolve) => listener.signal.addEventListener('abort', () => resolve(), { once: true }))
      audience.remove(subscriber)
      followers -= 1
      if (followers === 0) stopListening?.()
    },
  }
})

/** Subscribers by the names they listen to; most want a few, and need not be asked about any other. */
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
        const known = named.get(name)
        known?.delete(subscriber)
        if (known?.size === 0) named.delete(name)
      }
    },
    of(name: string): readonly Subscriber[] {
      return [...(named.get(name) ?? []), ...others]
    },
  }
}

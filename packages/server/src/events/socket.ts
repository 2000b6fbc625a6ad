import { Event } from '@millrace/contracts/event.ts'
import { EventFilter } from '@millrace/contracts/event-filter.ts'
import { ApiError } from '../errors.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { JsonSyntaxError } from '../lib/json-exact.ts'
import { closeCodes, type Peer, SocketRejection, type SocketRoute } from '../lib/socket.ts'
import { addSeconds, parseTime } from '../lib/time.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { sendBackfill } from './backfill.ts'
import { type Criteria, timeRangeOf, toCriteria } from './criteria.ts'
import type { Ingest } from './ingest.ts'
import type { Listener } from './listener.ts'
import { liveEvents } from './live.ts'

/** Events of one connection that may be on their way into the log; the next message is read when one of them is kept. */
const inFlightMax = 500

/** Sees what comes by each connection, and its end. */
export interface ConnectionObserver {
  open(): {
    heard(event: ObservedEvent): void
    closed(): Promise<void>
  }
}

export function eventSockets(context: ServerContext, ingest: Ingest, observer: ConnectionObserver): SocketRoute[] {
  const receive = async (peer: Peer): Promise<void> => {
    const connection = observer.open()
    try {
      await receiveEvents(ingest, peer, connection.heard)
    } finally {
      // What is lost with it is a hint and no more.
      await connection.closed().catch(() => {})
    }
  }
  return [
    { path: '/events/in', scope: 'events:write', serve: receive },
    { path: '/events/out', scope: 'events:read', serve: (peer) => sendEvents(context, peer) },
  ]
}

type ObservedEvent = Pick<EventRecord, 'event' | 'resource'>

/**
 * One event a message, unanswered. A client asks by a ping whether what it sent has arrived; the pong comes when it is kept. An event that is
 * refused is left out and logged: to end the connection would make the client send the same one for ever.
 */
async function receiveEvents(ingest: Ingest, peer: Peer, onEvent: (event: ObservedEvent) => void): Promise<void> {
  let underWay = 0
  for (let message = await peer.next(); message !== undefined; message = await peer.next()) {
    const reader = peer.read(Event, await parseMessage(peer, message))
    if ('refusal' in reader) {
      peer.warn({ refusal: reader.refusal }, 'an event was refused')
      continue
    }
    onEvent(reader.value as ObservedEvent)
    underWay += 1
    const kept = ingest([reader.value]).then(
      () => {
        underWay -= 1
      },
      (error) => {
        underWay -= 1
        if (error instanceof ApiError && error.status < 500) return peer.warn({ refusal: error.message, id: reader.value.id }, 'an event was refused')
        // It stays unconfirmed, and the client sends it again when it comes back.
        peer.close(closeCodes.tryLater, 'The event could not be kept; send it again')
        throw error
      },
    )
    peer.holdPongUntil(kept)
    if (underWay >= inFlightMax) await kept.catch(() => {})
  }
}

async function parseMessage(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch (error) {
    throw new SocketRejection(closeCodes.notText, error instanceof JsonSyntaxError ? 'A message was no JSON' : (error as Error).message)
  }
}

/** Events that match a filter: first those of the recent past, unless the client wants none, then each as it happens. */
async function sendEvents(context: ServerContext, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const message = (await parseMessage(peer, first)) as { type?: unknown; filter?: unknown; backfill?: unknown } | null
  if (message?.type !== 'filter') throw new SocketRejection(closeCodes.protocolError, 'Expected a "filter" message')
  const reader = peer.read(EventFilter, message.filter)
  if ('refusal' in reader) throw new SocketRejection(closeCodes.protocolError, `Invalid filter: ${reader.refusal}`)

  const criteria = subscriptionCriteria(context, reader.value)
  const live = liveEvents(context)
  const head = await live.head()
  const listener: Listener = {
    criteria,
    signal: peer.signal,
    get unsentBytes() {
      return peer.bufferedBytes
    },
    waitForDrain: () => peer.drained(),
    send: (event) => peer.send(event.frame),
    disconnect: () => peer.close(closeCodes.tryLater, 'Events were not read for too long; connect again'),
  }
  void ignoreMessages(peer)
  if (message.backfill !== false) await sendBackfill(context, listener, head)
  await live.subscribe(listener, head)
}

/** Looks back for so long at most; without an end of its own it goes on for ever. */
function subscriptionCriteria({ clock, config }: ServerContext, filter: EventFilter): Criteria {
  const now = clock.now()
  const { since, until } = timeRangeOf(filter, now)
  const earliest = addSeconds(now, -config.events.maximum_websocket_backfill_seconds)
  const endless = filter.occurred?.until === undefined || parseTime(filter.occurred.until) === undefined
  return { ...toCriteria(filter, { since: Math.max(since, earliest), until: endless ? Number.MAX_SAFE_INTEGER : until }), order: 'ASC' }
}

async function ignoreMessages(peer: Peer): Promise<void> {
  while ((await peer.next()) !== undefined);
}

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
import type { Listener } from './delivery.ts'
import type { Ingest } from './ingest.ts'
import { liveEvents } from './live.ts'
import { MatchLimitExceeded } from './match-budget.ts'

/** Events of one connection that may await their commit. Reading stops until one of them is stored. */
const inFlightMax = 500

/** Observes the events of each connection and its end. */
export interface ConnectionObserver {
  open(): {
    onEvent(event: ObservedEvent): void
    onClose(): Promise<void>
  }
}

export function eventSockets(context: ServerContext, ingest: Ingest, observer: ConnectionObserver): SocketRoute[] {
  const receive = async (peer: Peer): Promise<void> => {
    const connection = observer.open()
    try {
      await receiveEvents(ingest, peer, connection.onEvent)
    } finally {
      // A failure loses only a hint about lost heartbeats.
      await connection.onClose().catch(() => {})
    }
  }
  return [
    {
      path: '/events/in',
      summary: 'Send events',
      description:
        'Send one event per message; the server does not reply. The pong of a ping follows when all events before it are stored. An event that is rejected is skipped and logged. If an event cannot be stored, the connection is closed with 1013: connect again and send it again.',
      scope: 'events:write',
      kind: 'change',
      serve: receive,
    },
    {
      path: '/events/out',
      summary: 'Receive events',
      description:
        'Send `{"type": "filter", "filter": {…}}` with an event filter first. The server sends past events that match, at most `MILLRACE_EVENTS_MAXIMUM_WEBSOCKET_BACKFILL_SECONDS` old, unless the message has `"backfill": false`, and then new ones, oldest first, each as `{"type": "event", "event": {…}}`. The pong of a ping after the filter confirms that the subscription has begun. Later messages of the client are ignored.',
      scope: 'events:read',
      kind: 'query',
      serve: (peer) => sendEvents(context, peer),
    },
  ]
}

type ObservedEvent = Pick<EventRecord, 'event' | 'resource'>

/**
 * Receives one event per message, without replies. A client sends a ping to ask whether its events are stored; the pong follows after the commit. A rejected
 * event is skipped and logged: closing the connection would make the client send the same event again and again.
 */
async function receiveEvents(ingest: Ingest, peer: Peer, onEvent: (event: ObservedEvent) => void): Promise<void> {
  let inFlight = 0
  for (let message = await peer.next(); message !== undefined; message = await peer.next()) {
    const reader = peer.read(Event, await parseMessage(peer, message))
    if ('refusal' in reader) {
      peer.warn({ refusal: reader.refusal }, 'event rejected')
      continue
    }
    onEvent(reader.value as ObservedEvent)
    inFlight += 1
    const stored = ingest(peer.actor, [reader.value]).then(
      () => {
        inFlight -= 1
      },
      (error) => {
        inFlight -= 1
        if (error instanceof ApiError && error.status < 500) return peer.warn({ refusal: error.message, id: reader.value.id }, 'event rejected')
        // The event stays unconfirmed, so the client sends it again after it reconnects.
        peer.close(closeCodes.tryLater, 'Event could not be stored. Send it again.')
        throw error
      },
    )
    peer.holdPongUntil(stored)
    if (inFlight >= inFlightMax) await stored.catch(() => {})
  }
}

async function parseMessage(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch (error) {
    throw new SocketRejection(closeCodes.notText, error instanceof JsonSyntaxError ? 'Message is not valid JSON.' : (error as Error).message)
  }
}

/** Sends the events that match a filter: first recent ones, unless the client declines them, then new ones. */
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
    disconnect: () => peer.close(closeCodes.tryLater, 'Client reads too slowly. Reconnect to continue.'),
    reject: (reason) => peer.close(closeCodes.policy, reason),
  }
  void ignoreMessages(peer)
  try {
    if (message.backfill !== false) await sendBackfill(context, listener, head)
  } catch (error) {
    if (!(error instanceof MatchLimitExceeded)) throw error
    throw new SocketRejection(closeCodes.policy, error.reason)
  }
  await live.subscribe(listener, head)
}

/** Limits how far the subscription looks back. A filter without an end subscribes indefinitely. */
function subscriptionCriteria({ clock, config }: ServerContext, filter: EventFilter): Criteria {
  const now = clock.now()
  const { since, until } = timeRangeOf(filter, now)
  const earliest = addSeconds(now, -config.events.maximum_websocket_backfill_seconds)
  const isOpenEnded = filter.occurred?.until === undefined || parseTime(filter.occurred.until) === undefined
  return { ...toCriteria(filter, { since: Math.max(since, earliest), until: isOpenEnded ? Number.MAX_SAFE_INTEGER : until }), order: 'ASC' }
}

async function ignoreMessages(peer: Peer): Promise<void> {
  while ((await peer.next()) !== undefined);
}

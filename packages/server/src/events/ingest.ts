import { type Event, EventsCreateBody } from '@millrace/contracts/event.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { type Fault, InvalidRequest, tooLarge } from '../errors.ts'
import type { Actor } from '../lib/actor.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import { jsonText } from '../lib/json.ts'
import { type Route, route } from '../lib/route.ts'
import { monotonicSeconds, toMicros } from '../lib/time.ts'
import type { Db, Tx } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import { findStoredIds, type StoredIds } from './log-reader.ts'
import { type SegmentIndex, segmentIndexOf } from './segments/segment-index.ts'
import { segmentsTopic } from './segments/segment-store.ts'
import type { SentEvents } from './sent-events.ts'

export type SentEvent = Received<typeof Event>

/** Stores the events of one request in a transaction, and what they say about runs. `received` are the same events as they were received, with parsed payloads. */
export type StoreEvents = (actor: Actor, sent: SentEvents, received: readonly SentEvent[]) => Promise<void>

/** Stores the events of a request, all or none. An event with a known id is ignored. Resolves after the commit. */
export type Ingest = (actor: Actor, events: readonly SentEvent[]) => Promise<void>

/** `POST /events`. The WebSocket `/events/in` (socket.ts) calls the same `Ingest`. */
export const ingestRoute = (ingest: Ingest): Route =>
  route(
    {
      method: 'POST',
      path: '/events',
      tag: 'Events',
      summary: 'Record events, all of them or none',
      description: 'An event whose id is stored already is ignored. The answer follows the commit. The limits under `events` in the settings apply.',
      scope: 'events:write',
      kind: 'change',
      body: EventsCreateBody,
      responses: { 204: null },
    },
    ({ body, actor }) => ingest(actor, body as Parameters<Ingest>[1]),
  )

export function createIngest(context: ServerContext, store: StoreEvents): Ingest {
  const { config } = context
  return async (actor, received) => {
    const { maximum_per_request: limit } = config.events
    if (received.length > limit) throw tooLarge(`Too many events: got ${received.length}, limit ${limit} (events.maximum_per_request).`)
    const events = received.map(toEventRecord)
    const faults = events.flatMap((event, index) => validateEvent(event, index, config.events))
    if (faults.length > 0) throw new InvalidRequest(faults)
    if (events.length === 0) return
    await store(actor, await toSentEvents(context, events), received)
  }
}

/** Valid events that are about to be stored. */
export async function toSentEvents(context: ServerContext, events: readonly EventRecord[]): Promise<SentEvents> {
  const ids = idChecker(context)
  const stored = await ids.check(events)
  return { events, findStored: (tx) => ids.checkAgain(tx, events, stored) }
}

const toEventRecord = ({ id, occurred, event, resource, related, payload, follows }: SentEvent): EventRecord => ({
  id,
  occurred: toMicros(occurred),
  event,
  resource: resource as ResourceLabels,
  related: related as ResourceLabels[],
  payload: jsonText(payload),
  follows,
})

/** The longest time that new segments go unnoticed without notifications. The database searches them meanwhile. */
const refreshSeconds = 5

/** Searches the stored segments for the ids of events. */
class IdChecker {
  readonly #reads: Db
  readonly #index: SegmentIndex
  #refreshedAt = Number.NEGATIVE_INFINITY
  #last: Promise<unknown> = Promise.resolve()

  constructor({ reads, bus }: ServerContext) {
    this.#reads = reads
    this.#index = segmentIndexOf(reads)
    bus.on(segmentsTopic, () => {
      this.#refreshedAt = Number.NEGATIVE_INFINITY
    })
  }

  /** One request after the other, so that the events of a client stay in order. Most of the work happens before the transaction. */
  check(events: readonly EventRecord[]): Promise<StoredIds> {
    const next = async () => {
      await this.#refresh(this.#reads)
      return findStoredIds(this.#index, this.#reads, events)
    }
    const checked = this.#last.then(next, next)
    this.#last = checked
    return checked
  }

  /** In the transaction, when segments were stored since the first check. The database would take a millisecond to search one of them for ten ids. */
  async checkAgain(tx: Tx, events: readonly EventRecord[], before: StoredIds): Promise<StoredIds> {
    await this.#refresh(tx)
    if (this.#index.movedUntil === before.checkedUntil) return before
    const { known, checkedUntil } = await findStoredIds(this.#index, tx, events)
    return { known: new Set([...before.known, ...known]), checkedUntil }
  }

  async #refresh(db: Db): Promise<void> {
    if (monotonicSeconds() - this.#refreshedAt < refreshSeconds) return
    // Set before the read, so that a notification meanwhile causes another one.
    this.#refreshedAt = monotonicSeconds()
    await this.#index.refreshStored(db)
  }
}

const idChecker = perServer((context) => new IdChecker(context))

export function validateEvent(event: EventRecord, index: number, limits: ServerContext['config']['events']): Fault[] {
  const faults: Fault[] = []
  const addFault = (path: (string | number)[], msg: string) =>
    faults.push({ loc: ['body', index, ...path], type: 'value_error', msg, ctx: { error: msg } })
  if (event.event.length > limits.maximum_name_length) {
    addFault(
      ['event'],
      `Event name too long: got ${event.event.length} characters, limit ${limits.maximum_name_length} (events.maximum_name_length).`,
    )
  }
  if (event.related.length > limits.maximum_related_resources) {
    addFault(
      ['related'],
      `Too many related resources: got ${event.related.length}, limit ${limits.maximum_related_resources} (events.maximum_related_resources).`,
    )
  }
  const resources = [{ labels: event.resource, path: ['resource'] as (string | number)[] }]
  for (const [at, labels] of event.related.entries()) resources.push({ labels, path: ['related', at] })
  for (const { labels, path } of resources) {
    const labelCount = Object.keys(labels).length
    if (labelCount > limits.maximum_labels_per_resource) {
      addFault(path, `Too many labels: got ${labelCount}, limit ${limits.maximum_labels_per_resource} (events.maximum_labels_per_resource).`)
    }
    if (labels['prefect.resource.id'] === '') addFault([...path, 'prefect.resource.id'], 'Resource id must not be empty.')
    if (path[0] === 'related' && labels['prefect.resource.role'] === '')
      addFault([...path, 'prefect.resource.role'], 'Role of a related resource must not be empty.')
  }
  if (sizeUpperBound(event) <= limits.maximum_size_bytes) return faults
  const bytes = sizeOf(event)
  if (bytes > limits.maximum_size_bytes)
    addFault([], `Event too large: about ${bytes} bytes, limit ${limits.maximum_size_bytes} (events.maximum_size_bytes).`)
  return faults
}

/** A character takes at most six bytes in JSON. This bound is almost always below the limit, and much faster than serializing. */
function sizeUpperBound({ event, resource, related, payload }: EventRecord): number {
  let characters = event.length + payload.length + labelsLength(resource)
  for (const labels of related) characters += labelsLength(labels)
  return characters * 6
}

function labelsLength(labels: ResourceLabels): number {
  let characters = 2
  // Quotes, colon and comma.
  for (const name in labels) characters += name.length + (labels[name] as string).length + 6
  return characters
}

/** The size as JSON without id, times and `follows`, which are always short. */
function sizeOf({ event, resource, related, payload }: EventRecord): number {
  return (
    Buffer.byteLength(event) + Buffer.byteLength(payload) + Buffer.byteLength(JSON.stringify(resource)) + Buffer.byteLength(JSON.stringify(related))
  )
}

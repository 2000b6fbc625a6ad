import type { Event } from '@millrace/contracts/event.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { type Fault, InvalidRequest, tooLarge } from '../errors.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import { jsonText } from '../lib/json.ts'
import { toMicros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Batch } from '../storage/write-queue.ts'

type SentEvent = Received<typeof Event>

/** Makes something of events in the transaction that keeps them. It may be shown an event again, and events out of order. */
export type Recorder = (tx: Tx, events: readonly EventRecord[]) => Promise<void>

/** Keeps events that clients send, all of a request or none, each once by its id. Resolves when they are kept. */
export type Ingest = (events: readonly SentEvent[]) => Promise<void>

export function createIngest({ writeQueue, config }: ServerContext, record: Recorder): Ingest {
  const keep: Batch<readonly EventRecord[], null> = async (tx, requests) => {
    const events = requests.flat()
    await record(tx, events)
    for (const event of events) tx.emit(event)
    return requests.map(() => null)
  }
  return async (events) => {
    const { maximum_per_request: many } = config.events
    if (events.length > many) throw tooLarge(`A request may bring ${many} events at most (events.maximum_per_request); this one has ${events.length}`)
    const records = events.map(toEventRecord)
    const faults = records.flatMap((event, index) => validateEvent(event, index, config.events))
    if (faults.length > 0) throw new InvalidRequest(faults)
    if (records.length > 0) await writeQueue.submitTo(keep, records)
  }
}

const toEventRecord = ({ id, occurred, event, resource, related, payload, follows }: SentEvent): EventRecord => ({
  id,
  occurred: toMicros(occurred),
  event,
  resource: resource as ResourceLabels,
  related: related as ResourceLabels[],
  payload: jsonText(payload),
  follows,
  isFromClient: true,
})

function validateEvent(event: EventRecord, index: number, limits: ServerContext['config']['events']): Fault[] {
  const faults: Fault[] = []
  const refuse = (place: (string | number)[], msg: string) =>
    faults.push({ loc: ['body', index, ...place], type: 'value_error', msg, ctx: { error: msg } })
  if (event.event.length > limits.maximum_name_length) {
    refuse(['event'], `The name of an event has ${limits.maximum_name_length} characters at most (events.maximum_name_length)`)
  }
  if (event.related.length > limits.maximum_related_resources) {
    refuse(['related'], `An event names ${limits.maximum_related_resources} related resources at most (events.maximum_related_resources)`)
  }
  const resources = [{ labels: event.resource, place: ['resource'] as (string | number)[] }]
  for (const [at, labels] of event.related.entries()) resources.push({ labels, place: ['related', at] })
  for (const { labels, place } of resources) {
    if (Object.keys(labels).length > limits.maximum_labels_per_resource) {
      refuse(place, `A resource has ${limits.maximum_labels_per_resource} labels at most (events.maximum_labels_per_resource)`)
    }
    if (labels['prefect.resource.id'] === '') refuse([...place, 'prefect.resource.id'], 'The id of a resource must not be empty')
    if (place[0] === 'related' && labels['prefect.resource.role'] === '')
      refuse([...place, 'prefect.resource.role'], 'The role of a related resource must not be empty')
  }
  if (sizeUpperBound(event) <= limits.maximum_size_bytes) return faults
  const bytes = sizeOf(event)
  if (bytes > limits.maximum_size_bytes)
    refuse([], `An event has ${limits.maximum_size_bytes} bytes at most (events.maximum_size_bytes); this one has about ${bytes}`)
  return faults
}

/** No character takes more than six bytes of JSON. Far below the limit almost always, and many times faster than to write it out. */
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

/** As JSON, but for the few fields that are always short. */
function sizeOf({ event, resource, related, payload }: EventRecord): number {
  return (
    Buffer.byteLength(event) + Buffer.byteLength(payload) + Buffer.byteLength(JSON.stringify(resource)) + Buffer.byteLength(JSON.stringify(related))
  )
}

import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import type { Clock, Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { NewEvent } from '../storage/dialect.ts'
import { startOfQuarterHour } from './time-buckets.ts'

/**
 * Writes the events of a transaction; the lane calls it last before the commit. Nothing is announced that did not happen, and
 * nothing that happened is lost. Of several events with one id the first stays, here as in the log: clients may send one twice.
 */
export function createEventWriter(clock: Clock) {
  return async (tx: Tx, events: readonly EventRecord[]): Promise<void> => {
    const received = clock.now()
    const fresh = new Map<string, NewEvent>()
    for (const event of events) if (!fresh.has(event.id)) fresh.set(event.id, toNewEvent(event, received))
    await tx.appendEvents([...fresh.values()])
    tx.notify('events')
  }
}

/** An event with what is kept beside it. */
export function toNewEvent(
  { id, occurred, event, resource, related, payload, follows, isFromClient: sent }: EventRecord,
  received: Micros,
): NewEvent {
  const resource_id = idOf(resource)
  return {
    row: { id, occurred, received, event, resource_id, resource: JSON.stringify(resource), related: JSON.stringify(related), payload, follows },
    resources: resourcesOf(resource_id, related),
    quarter: startOfQuarterHour(occurred),
    isFromClient: sent ?? false,
  }
}

const idOf = (resource: ResourceLabels): string => resource['prefect.resource.id'] as string

function resourcesOf(about: string, related: readonly ResourceLabels[]): NewEvent['resources'] {
  const seen = new Set<string>()
  const found = [{ id: about, role: '' }]
  for (const resource of related) {
    const id = idOf(resource)
    const role = resource['prefect.resource.role'] as string
    const key = `${role}\n${id}`
    if (seen.has(key)) continue
    seen.add(key)
    found.push({ id, role })
  }
  return found
}

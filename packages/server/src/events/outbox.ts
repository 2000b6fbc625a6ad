import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import type { Clock, Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { NewEvent } from '../storage/dialect.ts'
import { startOfQuarterHour } from './time-buckets.ts'

/**
 * Appends the events of a transaction to the log. The write queue calls it right before the commit, so that events and changes are committed together. Of
 * several events with one id the first wins, because clients may send an event twice.
 */
export function createEventWriter(clock: Clock) {
  return async (tx: Tx, events: readonly EventRecord[]): Promise<void> => {
    const received = clock.now()
    const byId = new Map<string, NewEvent>()
    for (const event of events) if (!byId.has(event.id)) byId.set(event.id, toNewEvent(event, received))
    await tx.appendEvents([...byId.values()])
    tx.notify('events')
  }
}

/** An event with its rows in the resource index and its rollup bucket. */
export function toNewEvent({ id, occurred, event, resource, related, payload, follows, isFromClient }: EventRecord, received: Micros): NewEvent {
  const resource_id = idOf(resource)
  return {
    row: { id, occurred, received, event, resource_id, resource: JSON.stringify(resource), related: JSON.stringify(related), payload, follows },
    resources: resourcesOf(resource_id, related),
    quarter: startOfQuarterHour(occurred),
    isFromClient: isFromClient ?? false,
  }
}

const idOf = (resource: ResourceLabels): string => resource['prefect.resource.id'] as string

function resourcesOf(primaryId: string, related: readonly ResourceLabels[]): NewEvent['resources'] {
  const seen = new Set<string>()
  const found = [{ id: primaryId, role: '' }]
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

import type { EventRecord } from '../lib/event-record.ts'
import type { Clock, Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { NewEvent } from '../storage/dialect.ts'

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

/** A row of the log. */
export function toNewEvent({ id, occurred, event, resource, related, payload, follows, checkedUntil }: EventRecord, received: Micros): NewEvent {
  const resource_id = resource['prefect.resource.id'] as string
  return {
    row: { id, occurred, received, event, resource_id, resource: JSON.stringify(resource), related: JSON.stringify(related), payload, follows },
    checkedUntil: checkedUntil ?? null,
  }
}

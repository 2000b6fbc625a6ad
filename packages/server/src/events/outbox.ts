import type { EventRecord } from '../lib/event-record.ts'
import type { Clock } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'

/**
 * Writes the events of a transaction; the lane calls it last before the commit. Nothing is announced that did not happen, and
 * nothing that happened is lost. An id that is there already is left alone: ingest may send an event twice.
 */
export function eventWriter(clock: Clock) {
  return async (tx: Tx, events: readonly EventRecord[]): Promise<void> => {
    const received = clock.now()
    await tx.insert(
      'event',
      events.map(({ id, occurred, event, resource, related, payload, follows }) => ({
        id,
        occurred,
        received,
        event,
        resource_id: resource['prefect.resource.id'] as string,
        resource: JSON.stringify(resource),
        related: JSON.stringify(related),
        payload,
        follows,
      })),
      { onConflict: 'on conflict (id) do nothing' },
    )
    await tx.insert(
      'event_resource',
      events.flatMap(({ id, occurred, related }) =>
        related.map((resource) => ({
          event_id: id,
          occurred,
          resource_id: resource['prefect.resource.id'] as string,
          resource_role: resource['prefect.resource.role'] as string,
        })),
      ),
    )
    tx.wake('events')
  }
}

import { toNewEvent } from '../../events/outbox.ts'
import type { ResourceLabels } from '../../lib/event-record.ts'
import { json, text, time, uuid } from '../columns.ts'
import type { SourceRow, Step } from '../step.ts'

/** Copied in order of event time, which becomes the order of the log. */
export const events: Step = {
  name: 'events',
  noun: 'events',
  from: 'events',
  to: 'event',
  order: 'occurred',
  ignoredColumns: ['created', 'updated', 'recorded', 'related_resource_ids', 'resource_id'],
  columns: {
    id: uuid(),
    occurred: time(),
    received: time(),
    event: text(),
    resource: json('{}'),
    related: json('[]'),
    payload: json('{}'),
    follows: uuid(),
  },
  async write(_adoption, tx, rows) {
    await tx.appendEvents(rows.map(toAdoptedEvent))
  },
}

function toAdoptedEvent({ id, occurred, received, event, resource, related, payload, follows }: SourceRow) {
  return toNewEvent(
    {
      id: String(id),
      occurred: Number(occurred),
      event: String(event),
      resource: JSON.parse(String(resource)) as ResourceLabels,
      related: JSON.parse(String(related)) as ResourceLabels[],
      payload: String(payload),
      follows: follows as string | null,
    },
    Number(received),
  )
}

import { newEvent } from '../../events/outbox.ts'
import { prepareDays } from '../../events/trim.ts'
import type { ResourceLabels } from '../../lib/event-record.ts'
import { json, text, time, uuid } from '../column.ts'
import { daysWith } from '../days.ts'
import type { SourceRow, Step } from '../step.ts'

/** In the order in which they happened, which is the order of the log from now on. */
export const events: Step = {
  name: 'events',
  noun: 'events',
  from: 'events',
  to: 'event',
  order: 'occurred',
  passedOver: ['created', 'updated', 'recorded', 'related_resource_ids', 'resource_id'],
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
  async prepare({ source, context: { writeQueue, reads } }) {
    if (!reads.dialect.partitions) return
    for (const day of await daysWith(source, 'events', 'occurred')) await writeQueue.submit((tx) => prepareDays(tx, day))
  },
  async write(_work, tx, rows) {
    await tx.appendEvents(rows.map(adopted))
  },
}

function adopted({ id, occurred, received, event, resource, related, payload, follows }: SourceRow) {
  return newEvent(
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

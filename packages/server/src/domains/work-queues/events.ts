import type { EventRecord } from '../../lib/event-record.ts'
import { writeJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import type { FieldChanges } from '../field-changes.ts'

/** The labels of a queue in events. */
interface QueueResource {
  readonly id: string
  readonly name: string
  readonly work_pool_id: string
  readonly work_pool_name: string
  readonly work_pool_type: string
}

export const queueEvent = (what: 'created' | 'deleted', queue: QueueResource, id: string, now: Micros): EventRecord =>
  event(what, queue, id, now, '{}')

export const queueUpdatedEvent = (queue: QueueResource, changes: FieldChanges, id: string, now: Micros): EventRecord =>
  event('updated', queue, id, now, writeJson({ updated_fields: Object.keys(changes), updates: changes }))

/** A change of the queue's status. */
export const queueStatusEvent = (queue: QueueResource & { readonly status: string }, id: string, now: Micros): EventRecord =>
  event(queue.status.toLowerCase().replaceAll('_', '-'), queue, id, now, '{}')

function event(what: string, queue: QueueResource, id: string, now: Micros, payload: string): EventRecord {
  return {
    id,
    occurred: now,
    event: `prefect.work-queue.${what}`,
    resource: {
      'prefect.resource.id': `prefect.work-queue.${queue.id}`,
      'prefect.resource.name': queue.name,
      'prefect.resource.role': 'work-queue',
    },
    related: [
      {
        'prefect.resource.id': `prefect.work-pool.${queue.work_pool_id}`,
        'prefect.resource.name': queue.work_pool_name,
        'prefect.work-pool.type': queue.work_pool_type,
        'prefect.resource.role': 'work-pool',
      },
    ],
    payload,
    follows: null,
  }
}

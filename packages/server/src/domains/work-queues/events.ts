import { writeJson } from '../../lib/json.ts'
import { type ServerEvent, statusWords } from '../../lib/server-events.ts'
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

export const queueEvent = (what: 'created' | 'deleted', queue: QueueResource, id: string, now: Micros): ServerEvent =>
  event(what, queue, id, now, '{}')

export const queueUpdatedEvent = (queue: QueueResource, changes: FieldChanges, id: string, now: Micros): ServerEvent =>
  event('updated', queue, id, now, writeJson({ updated_fields: Object.keys(changes), updates: changes }))

/** A change of the queue's status. */
export const queueStatusEvent = (queue: QueueResource & { readonly status: string }, id: string, now: Micros): ServerEvent =>
  event(statusWords[queue.status as keyof typeof statusWords], queue, id, now, '{}')

type QueueEventKind = 'created' | 'updated' | 'deleted' | (typeof statusWords)[keyof typeof statusWords]

function event(what: QueueEventKind, queue: QueueResource, id: string, now: Micros, payload: string): ServerEvent {
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

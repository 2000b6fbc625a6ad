import type { ResourceLabels } from '../../lib/event-record.ts'
import { writeJson } from '../../lib/json.ts'
import { type ServerEvent, statusWords } from '../../lib/server-events.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { FieldChanges } from '../field-changes.ts'
import type { PoolRow } from './store.ts'

/** A status event follows the previous one only within this time; the order of older ones is clear. */
const chainWithinMicros = 10 * 60 * MICROS_PER_SECOND

export function poolEvent(what: 'created' | 'deleted', row: PoolRow, id: string, now: Micros): ServerEvent {
  return { id, occurred: now, event: `prefect.work-pool.${what}`, resource: withRole(row), related: relatedOf(row), payload: '{}', follows: null }
}

export function poolUpdatedEvent(row: PoolRow, changes: FieldChanges, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: 'prefect.work-pool.updated',
    resource: withRole(row),
    related: [],
    payload: writeJson({ updated_fields: Object.keys(changes), updates: changes }),
    follows: null,
  }
}

/** A change of the pool's status. `before` is the previous row; null for a new pool. */
export function poolStatusEvent(row: PoolRow, before: PoolRow | null, id: string, now: Micros): ServerEvent {
  const { last_transitioned_status_at: at = null, last_status_event_id: earlier = null } = before ?? {}
  return {
    id,
    occurred: now,
    event: `prefect.work-pool.${statusWords[row.status as keyof typeof statusWords]}`,
    resource: resourceOf(row),
    related: [],
    payload: '{}',
    follows: at !== null && now - at < chainWithinMicros ? earlier : null,
  }
}

const resourceOf = (row: PoolRow): ResourceLabels => ({
  'prefect.resource.id': `prefect.work-pool.${row.id}`,
  'prefect.resource.name': row.name,
  'prefect.work-pool.type': row.type,
})

const withRole = (row: PoolRow): ResourceLabels => ({ ...resourceOf(row), 'prefect.resource.role': 'work-pool' })

function relatedOf(row: PoolRow): ResourceLabels[] {
  const { default_result_storage_block_id: block } = JSON.parse(row.storage_configuration) as { default_result_storage_block_id: string | null }
  return [
    { 'prefect.resource.id': `prefect.work-queue.${row.default_queue_id}`, 'prefect.resource.role': 'default-queue' },
    ...(block ? [{ 'prefect.resource.id': `prefect.block-document.${block}`, 'prefect.resource.role': 'result-storage' }] : []),
  ]
}

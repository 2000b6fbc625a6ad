import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import type { LimitRow } from '../../runs/slots/decay.ts'
import { toBoolean } from '../../storage/tables.ts'

/** Events of the limit itself. Acquired and released slots emit none: the events of the runs that hold them cover that. */
export function limitEvent(what: 'created' | 'updated' | 'deleted', row: LimitRow, id: string, now: Micros): ServerEvent {
  const { name, slots, active, slot_decay_per_second } = row
  return {
    id,
    occurred: now,
    event: `prefect.concurrency-limit.${what}`,
    resource: { 'prefect.resource.id': `prefect.concurrency-limit.${row.id}`, 'prefect.resource.name': name },
    related: [],
    payload: JSON.stringify({ name, limit: slots, active: toBoolean(active), slot_decay_per_second }),
    follows: null,
  }
}

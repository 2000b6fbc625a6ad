import { rawJson, writeJson } from '../../lib/json.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import type { FlowRow } from './store.ts'

/** The event of a change to a flow, with its fields as payload. */
export function flowEvent(change: 'created' | 'updated' | 'deleted', row: FlowRow, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: `prefect.flow.${change}`,
    resource: { 'prefect.resource.id': `prefect.flow.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson({ name: row.name, tags: rawJson(row.tags), labels: rawJson(row.labels) }),
    follows: null,
  }
}

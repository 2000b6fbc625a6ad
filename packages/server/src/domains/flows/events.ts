import type { EventRecord } from '../../lib/event-record.ts'
import { rawJson, writeJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import type { FlowRow } from './store.ts'

/** What happens to a flow, told with all that people say of one. */
export function flowEvent(what: 'created' | 'updated' | 'deleted', row: FlowRow, id: string, now: Micros): EventRecord {
  return {
    id,
    occurred: now,
    event: `prefect.flow.${what}`,
    resource: { 'prefect.resource.id': `prefect.flow.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson({ name: row.name, tags: rawJson(row.tags), labels: rawJson(row.labels) }),
    follows: null,
  }
}

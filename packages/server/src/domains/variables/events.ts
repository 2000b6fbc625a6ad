import type { EventRecord } from '../../lib/event-record.ts'
import { rawJson, writeJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import type { VariableRow } from './store.ts'

export function variableEvent(what: 'created' | 'updated' | 'deleted', row: VariableRow, id: string, now: Micros): EventRecord {
  return {
    id,
    occurred: now,
    event: `prefect.variable.${what}`,
    resource: { 'prefect.resource.id': `prefect.variable.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson({ name: row.name, value: rawJson(row.value), tags: rawJson(row.tags) }),
    follows: null,
  }
}

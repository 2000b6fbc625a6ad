import { rawJson, writeJson } from '../../lib/json.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import type { VariableRow } from './store.ts'

export function variableEvent(what: 'created' | 'updated' | 'deleted', row: VariableRow, id: string, now: Micros): ServerEvent {
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

import type { EventRecord } from '../../lib/event-record.ts'
import { writeJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import { type FlowRow, flowAnswer } from './store.ts'

/** What happens to a flow, told with the whole of it. */
export function flowEvent(what: 'created' | 'updated' | 'deleted', row: FlowRow, id: string, now: Micros): EventRecord {
  return {
    id,
    occurred: now,
    event: `prefect.flow.${what}`,
    resource: { 'prefect.resource.id': `prefect.flow.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson(flowAnswer(row)),
    follows: null,
  }
}

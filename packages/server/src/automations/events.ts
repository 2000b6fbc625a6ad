import type { EventRecord } from '../lib/event-record.ts'
import { writeJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import { type AutomationRow, automationAnswer } from './store.ts'

/** What happens to an automation itself, told with the whole of it. */
export function automationEvent(what: 'created' | 'updated' | 'deleted', row: AutomationRow, id: string, now: Micros): EventRecord {
  return {
    id,
    occurred: now,
    event: `prefect.automation.${what}`,
    resource: { 'prefect.resource.id': `prefect.automation.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson(automationAnswer(row)),
    follows: null,
  }
}

import { writeJson } from '../lib/json.ts'
import type { ServerEvent } from '../lib/server-events.ts'
import type { Micros } from '../lib/time.ts'
import { type AutomationRow, automationAnswer } from './store.ts'

/** The event that reports a change of an automation. Its payload is the automation. */
export function automationEvent(verb: 'created' | 'updated' | 'deleted', row: AutomationRow, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: `prefect.automation.${verb}`,
    resource: { 'prefect.resource.id': `prefect.automation.${row.id}`, 'prefect.resource.name': row.name },
    related: [],
    payload: writeJson(automationAnswer(row)),
    follows: null,
  }
}

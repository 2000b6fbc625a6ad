import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import { stored, writeJson } from '../lib/json.ts'
import { formatTime, MICROS_PER_SECOND, type Micros, toMicros } from '../lib/time.ts'
import type { Firing } from './firing.ts'

/** What automations say about themselves when they act. */
const sayings = /^prefect\.automation\.(triggered|resolved|action\.)/

/** How many automations stand between an event and what happened outside: one that answers another, and so on. */
const depthLabel = 'millrace.automation-depth'

interface Named {
  readonly id: string
  readonly name: string
}

const automationId = (id: string): string => `prefect.automation.${id}`

/** An event that an automation caused by acting, seen by the automations that it could make act in turn. */
export function depthOf(event: { readonly event: string; readonly resource: ResourceLabels }): number {
  if (!sayings.test(event.event)) return 0
  const known = Number(event.resource[depthLabel] ?? 1)
  return Number.isSafeInteger(known) && known > 0 ? known : 1
}

/** Whether an automation would answer itself: it would never end. */
export const isOwnSaying = (event: { readonly event: string; readonly resource: ResourceLabels }, id: string): boolean =>
  sayings.test(event.event) && event.resource['prefect.resource.id'] === automationId(id)

const posture = (trigger: Trigger): ResourceLabels => (trigger.type === 'event' ? { 'prefect.posture': trigger.posture } : {})
const depth = (by: number): ResourceLabels => (by > 1 ? { [depthLabel]: String(by) } : {})

export interface TriggeringEvent {
  readonly id: string
  readonly occurred: string
}

const triggering = (event: TriggeringEvent | null): ResourceLabels[] =>
  event ? [{ 'prefect.resource.id': `prefect.event.${event.id}`, 'prefect.resource.role': 'triggering-event' }] : []

/** An automation has fired. */
export function triggeredEvent(automation: Named, firing: Firing, event: TriggeringEvent | null, by: number, id: string): EventRecord {
  return {
    id,
    occurred: firing.triggered,
    event: 'prefect.automation.triggered',
    resource: {
      'prefect.resource.id': automationId(automation.id),
      'prefect.resource.name': automation.name,
      ...posture(firing.trigger),
      ...depth(by),
    },
    related: triggering(event),
    payload: writeJson({ triggering_labels: firing.labels, triggering_event: stored(firing.event) }),
    follows: null,
  }
}

/** Only what followed closely is chained: of others the order is plain. */
const closelyMicros = 5 * 60 * MICROS_PER_SECOND

export interface ActedUpon {
  readonly automation: Named & { readonly trigger: Trigger }
  readonly triggered: Micros
  readonly event: TriggeringEvent | null
  readonly triggeredEventId: string
  readonly depth: number
  readonly invocation: string
  readonly actionIndex: number
  readonly actionType: string
}

export interface ActionOutcome {
  readonly related: readonly ResourceLabels[]
  readonly details: Readonly<Record<string, unknown>>
  /** Why it failed; null when it did not. */
  readonly failure: string | null
}

/** An action was taken, or could not be: two events, the second after the first. */
export function actionEvents(acted: ActedUpon, outcome: ActionOutcome, now: Micros, newId: () => string): EventRecord[] {
  const { automation, event, triggered } = acted
  const resource = {
    'prefect.resource.id': automationId(automation.id),
    'prefect.resource.name': automation.name,
    'prefect.trigger-type': automation.trigger.type,
    ...posture(automation.trigger),
    ...depth(acted.depth),
  }
  const related = [
    ...outcome.related,
    { 'prefect.resource.id': `prefect.event.${acted.triggeredEventId}`, 'prefect.resource.role': 'automation-triggered-event' },
    ...triggering(event),
  ]
  const details = { action_index: acted.actionIndex, action_type: acted.actionType, invocation: acted.invocation }
  const closely = event !== null && Math.abs(triggered - toMicros(event.occurred)) < closelyMicros
  const first: EventRecord = {
    id: newId(),
    occurred: triggered,
    event: 'prefect.automation.action.triggered',
    resource,
    related,
    payload: JSON.stringify(details),
    follows: closely ? event.id : null,
  }
  const failed = outcome.failure !== null
  return [
    first,
    {
      id: newId(),
      occurred: now,
      event: `prefect.automation.action.${failed ? 'failed' : 'executed'}`,
      resource,
      related,
      payload: writeJson({ ...details, ...(failed ? { reason: outcome.failure } : {}), ...outcome.details }),
      follows: first.id,
    },
  ]
}

/** An event of ours as it will be read from the log, for templates that see it before. */
export const eventText = (event: EventRecord): string =>
  writeJson({
    occurred: formatTime(event.occurred),
    event: event.event,
    resource: event.resource,
    related: event.related,
    payload: stored(event.payload),
    id: event.id,
    follows: event.follows,
    received: formatTime(event.occurred),
  })

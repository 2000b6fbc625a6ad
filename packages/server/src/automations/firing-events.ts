import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { EventRecord, ResourceLabels } from '../lib/event-record.ts'
import { rawJson, writeJson } from '../lib/json.ts'
import { MICROS_PER_SECOND, type Micros, toMicros } from '../lib/time.ts'
import { automationResource, type Chain, chainLabels } from './chain.ts'
import type { Firing } from './firing.ts'

interface Named {
  readonly id: string
  readonly name: string
}

const postureLabel = (trigger: Trigger): ResourceLabels => (trigger.type === 'event' ? { 'prefect.posture': trigger.posture } : {})

export interface TriggeringEvent {
  readonly id: string
  readonly occurred: string
}

const triggeringEventResource = (event: TriggeringEvent | null): ResourceLabels[] =>
  event ? [{ 'prefect.resource.id': `prefect.event.${event.id}`, 'prefect.resource.role': 'triggering-event' }] : []

/** The event that a firing tells of. Retention may have removed the event of a period that was long. */
export interface Cause {
  readonly event: TriggeringEvent | null
  /** The whole event as JSON. */
  readonly text: string | null
}

/** An automation has fired. */
export function triggeredEvent(automation: Named, firing: Firing, cause: Cause, chain: Chain, id: string): EventRecord {
  return {
    id,
    occurred: firing.triggered,
    event: 'prefect.automation.triggered',
    resource: {
      'prefect.resource.id': automationResource(automation.id),
      'prefect.resource.name': automation.name,
      ...postureLabel(firing.trigger),
      ...chainLabels(chain),
    },
    related: triggeringEventResource(cause.event),
    payload: writeJson({ triggering_labels: firing.labels, triggering_event: rawJson(cause.text) }),
    follows: null,
  }
}

/** Only what followed closely is chained: of others the order is plain. */
const chainedWithinMicros = 5 * 60 * MICROS_PER_SECOND

export interface ExecutedAction {
  readonly automation: Named & { readonly trigger: Trigger }
  readonly triggered: Micros
  readonly event: TriggeringEvent | null
  readonly triggeredEventId: string
  readonly chain: Chain
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
export function actionEvents(acted: ExecutedAction, outcome: ActionOutcome, now: Micros, newId: () => string): EventRecord[] {
  const { automation, event, triggered } = acted
  const resource = {
    'prefect.resource.id': automationResource(automation.id),
    'prefect.resource.name': automation.name,
    'prefect.trigger-type': automation.trigger.type,
    ...postureLabel(automation.trigger),
    ...chainLabels(acted.chain),
  }
  const related = [
    ...outcome.related,
    { 'prefect.resource.id': `prefect.event.${acted.triggeredEventId}`, 'prefect.resource.role': 'automation-triggered-event' },
    ...triggeringEventResource(event),
  ]
  const details = { action_index: acted.actionIndex, action_type: acted.actionType, invocation: acted.invocation }
  const closely = event !== null && Math.abs(triggered - toMicros(event.occurred)) < chainedWithinMicros
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

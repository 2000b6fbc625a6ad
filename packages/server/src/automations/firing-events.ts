import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { rawJson, writeJson } from '../lib/json.ts'
import type { ServerEvent } from '../lib/server-events.ts'
import { MICROS_PER_SECOND, type Micros, toMicros } from '../lib/time.ts'
import { automationResource, type Chain, chainLabels } from './chain.ts'
import type { Firing, NamedAutomation } from './firing-body.ts'

const postureLabel = (trigger: Trigger): ResourceLabels => (trigger.type === 'event' ? { 'prefect.posture': trigger.posture } : {})

export interface TriggeringEvent {
  readonly id: string
  readonly occurred: string
}

const triggeringEventResource = (event: TriggeringEvent | null): ResourceLabels[] =>
  event ? [{ 'prefect.resource.id': `prefect.event.${event.id}`, 'prefect.resource.role': 'triggering-event' }] : []

export interface Cause {
  readonly event: TriggeringEvent | null
  /** The event as JSON. Null when there is none or retention has removed it. */
  readonly text: string | null
}

/** The event that reports a firing. */
export function triggeredEvent(automation: NamedAutomation, firing: Firing, cause: Cause, chain: Chain, id: string): ServerEvent {
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

/** `follows` is set only for events less than five minutes apart, as in the reference. Their order could be ambiguous. */
const followsWithinMicros = 5 * 60 * MICROS_PER_SECOND

export interface ExecutedAction {
  readonly automation: NamedAutomation & { readonly trigger: Trigger }
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
  /** Null when the action succeeded. */
  readonly failure: string | null
}

/** The two events of an action: `triggered`, then `executed` or `failed`. */
export function actionEvents(execution: ExecutedAction, outcome: ActionOutcome, now: Micros, newId: () => string): ServerEvent[] {
  const { automation, event, triggered } = execution
  const resource = {
    'prefect.resource.id': automationResource(automation.id),
    'prefect.resource.name': automation.name,
    'prefect.trigger-type': automation.trigger.type,
    ...postureLabel(automation.trigger),
    ...chainLabels(execution.chain),
  }
  const related = [
    ...outcome.related,
    { 'prefect.resource.id': `prefect.event.${execution.triggeredEventId}`, 'prefect.resource.role': 'automation-triggered-event' },
    ...triggeringEventResource(event),
  ]
  const details = { action_index: execution.actionIndex, action_type: execution.actionType, invocation: execution.invocation }
  const isClose = event !== null && Math.abs(triggered - toMicros(event.occurred)) < followsWithinMicros
  const first: ServerEvent = {
    id: newId(),
    occurred: triggered,
    event: 'prefect.automation.action.triggered',
    resource,
    related,
    payload: JSON.stringify(details),
    follows: isClose ? event.id : null,
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

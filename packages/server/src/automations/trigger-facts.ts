import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import { parseJson } from '../lib/json.ts'
import { type Micros, toMicros } from '../lib/time.ts'
import type { Chain } from './chain.ts'

type Json = Readonly<Record<string, unknown>>

/** Why an action runs: the automation, its firing and the event. */
export interface TriggerFacts {
  readonly automation: Json & { readonly id: string; readonly name: string; readonly trigger: Trigger }
  readonly firing: Json
  readonly triggered: Micros
  readonly labels: Readonly<Record<string, string>>
  /** The triggering event. For actions on trigger: the event that reports the firing. */
  readonly event: EventFacts | null
  /** The reference to that event, which is known even after retention has removed the event. */
  readonly reference: { readonly id: string; readonly occurred: string } | null
  /** Why the event is missing; null when it is present or never existed. */
  readonly missing: string | null
  readonly triggeredEventId: string
  /** The automations that led to this action, including its own. */
  readonly chain: Chain
}

export interface EventFacts extends Json {
  readonly id: string
  readonly occurred: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
}

type Reference = NonNullable<TriggerFacts['reference']>

/** Reads the facts from an expanded firing body (see firing-body.ts). Bodies of older servers contain no references. */
export function triggerFacts(body: string, onTriggered: boolean): TriggerFacts {
  const { automation, firing, triggered, ...references } = parseJson(body) as {
    automation: TriggerFacts['automation']
    firing: Json & { triggered: string; triggering_labels: TriggerFacts['labels']; triggering_event: EventFacts | null }
    triggered: EventFacts | null
    triggered_reference?: Reference
    reference?: Reference | null
    chain?: Chain
  }
  const event = onTriggered ? triggered : firing.triggering_event
  const reference = onTriggered ? references.triggered_reference : references.reference
  return {
    automation,
    firing,
    triggered: toMicros(firing.triggered),
    labels: firing.triggering_labels,
    event,
    reference: event ?? reference ?? null,
    missing: event === null && reference ? `Event ${reference.id} was removed by retention before the action ran` : null,
    triggeredEventId: (triggered ?? (references.triggered_reference as Reference)).id,
    chain: references.chain ?? [automation.id],
  }
}

/** The first resource of a kind in an event: the primary resource, then the related ones. */
export function firstOfKind(event: EventFacts | null, kind: string): { id: string; resource: ResourceLabels } | undefined {
  if (!event) return undefined
  const resource = [event.resource, ...event.related].find((one) => kindOf(one['prefect.resource.id'] as string) === kind)
  const id = resource && idOf(resource['prefect.resource.id'] as string, kind)
  return id === undefined ? undefined : { id, resource: resource as ResourceLabels }
}

/** The kind of `prefect.flow-run.<uuid>` is `prefect.flow-run`. */
const kindOf = (resourceId: string): string => resourceId.slice(0, Math.max(0, resourceId.lastIndexOf('.')))

export const idOf = (resourceId: string, kind: string): string | undefined =>
  kindOf(resourceId) === kind ? parseUuid(resourceId.slice(kind.length + 1)) : undefined

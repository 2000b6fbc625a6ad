import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import { parseJson } from '../lib/json.ts'
import { type Micros, toMicros } from '../lib/time.ts'
import type { Chain } from './chain.ts'

type Json = Readonly<Record<string, unknown>>

/** Why an action is taken: which automation fired, upon what. */
export interface TriggerFacts {
  readonly automation: Json & { readonly id: string; readonly name: string; readonly trigger: Trigger }
  readonly firing: Json
  readonly triggered: Micros
  readonly labels: Readonly<Record<string, string>>
  /** The event that the action is about: the one that caused the firing, or the one that tells of it. */
  readonly event: EventFacts | null
  /** The same as it is named in events, also when the event itself is gone. */
  readonly reference: { readonly id: string; readonly occurred: string } | null
  /** Why there is no event though there was one; null when there is, or never was. */
  readonly missing: string | null
  readonly triggeredEventId: string
  /** The automations that led here, this one included. */
  readonly chain: Chain
}

export interface EventFacts extends Json {
  readonly id: string
  readonly occurred: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
}

type Reference = NonNullable<TriggerFacts['reference']>

/** Out of what was kept with the firing, with its events (see firing-body.ts). Older servers kept no references. */
export function triggerFacts(body: string, onTriggered: boolean): TriggerFacts {
  const { automation, firing, triggered, ...kept } = parseJson(body) as {
    automation: TriggerFacts['automation']
    firing: Json & { triggered: string; triggering_labels: TriggerFacts['labels']; triggering_event: EventFacts | null }
    triggered: EventFacts | null
    triggered_reference?: Reference
    reference?: Reference | null
    chain?: Chain
  }
  const event = onTriggered ? triggered : firing.triggering_event
  const reference = onTriggered ? kept.triggered_reference : kept.reference
  return {
    automation,
    firing,
    triggered: toMicros(firing.triggered),
    labels: firing.triggering_labels,
    event,
    reference: event ?? reference ?? null,
    missing: event === null && reference ? `Event ${reference.id} was removed by retention before the action was taken` : null,
    triggeredEventId: (triggered ?? (kept.triggered_reference as Reference)).id,
    chain: kept.chain ?? [automation.id],
  }
}

/** The first thing of a kind that an event names, as what it is about or as related. */
export function firstOfKind(event: EventFacts | null, kind: string): { id: string; resource: ResourceLabels } | undefined {
  if (!event) return undefined
  const resource = [event.resource, ...event.related].find((one) => kindOf(one['prefect.resource.id'] as string) === kind)
  const id = resource && idOf(resource['prefect.resource.id'] as string, kind)
  return id === undefined ? undefined : { id, resource: resource as ResourceLabels }
}

/** `prefect.flow-run.<uuid>` is of the kind `prefect.flow-run`. */
const kindOf = (resourceId: string): string => resourceId.slice(0, Math.max(0, resourceId.lastIndexOf('.')))

export const idOf = (resourceId: string, kind: string): string | undefined =>
  kindOf(resourceId) === kind ? parseUuid(resourceId.slice(kind.length + 1)) : undefined

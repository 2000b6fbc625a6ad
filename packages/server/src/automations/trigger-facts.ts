import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { readUuid } from '../lib/ids.ts'
import { parseJson } from '../lib/json.ts'
import { type Micros, toMicros } from '../lib/time.ts'

type Json = Readonly<Record<string, unknown>>

/** Why an action is taken: which automation fired, upon what. */
export interface TriggerFacts {
  readonly automation: Json & { readonly id: string; readonly name: string; readonly trigger: Trigger }
  readonly firing: Json
  readonly triggered: Micros
  readonly labels: Readonly<Record<string, string>>
  /** The event that the action is about: the one that caused the firing, or the one that tells of it. */
  readonly event: EventFacts | null
  readonly triggeredEventId: string
  readonly depth: number
}

export interface EventFacts extends Json {
  readonly id: string
  readonly occurred: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
}

/** Out of what was kept with the firing. */
export function triggerFacts(body: string, onTriggered: boolean): TriggerFacts {
  const { automation, firing, triggered, depth } = parseJson(body) as {
    automation: TriggerFacts['automation']
    firing: Json & { triggered: string; triggering_labels: TriggerFacts['labels']; triggering_event: EventFacts | null }
    triggered: EventFacts
    depth: number
  }
  return {
    automation,
    firing,
    triggered: toMicros(firing.triggered),
    labels: firing.triggering_labels,
    event: onTriggered ? triggered : firing.triggering_event,
    triggeredEventId: triggered.id,
    depth,
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
  kindOf(resourceId) === kind ? readUuid(resourceId.slice(kind.length + 1)) : undefined

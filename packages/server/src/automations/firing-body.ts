import type { Trigger } from '@millrace/contracts/trigger.ts'
import { rawJson, writeJson } from '../lib/json.ts'
import { formatTime, type Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import type { Chain } from './chain.ts'
import { type EventReference, isWholeEvent, readReferences } from './event-reference.ts'
import { automationAnswer, readAutomation } from './store.ts'

/** One firing of a trigger. */
export interface Firing {
  readonly id: string
  readonly trigger: Trigger
  readonly triggered: Micros
  readonly labels: Readonly<Record<string, string>>
  /** JSON of the child firings that made a compound or sequence trigger fire. */
  readonly firings: readonly string[]
  /** Reference to the triggering event. For a proactive trigger: the last event before it fired, or null. */
  readonly event: string | null
}

/** The firing as the API and templates show it, except that events are references (see event-reference.ts). */
export const firingText = ({ id, trigger, triggered, labels, firings, event }: Firing): string =>
  writeJson({
    id,
    trigger,
    trigger_states: ['Triggered'],
    triggered: formatTime(triggered),
    triggering_labels: labels,
    triggering_firings: rawJson(`[${firings.join(',')}]`),
    triggering_event: rawJson(event),
    triggering_value: null,
  })

/** The part of an automation that firings and events name. */
export interface NamedAutomation {
  readonly id: string
  readonly name: string
}

/** The value of `automation_firing.body`, stored until all actions have run. Events are references. */
export const firingBody = ({ id, name }: NamedAutomation, firing: Firing, triggered: EventReference, chain: Chain): string =>
  writeJson({ automation: { id, name }, firing: rawJson(firingText(firing)), triggered: { id: triggered.id, occurred: triggered.occurred }, chain })

interface StoredFiring {
  readonly trigger: Trigger
  readonly triggering_event: EventReference | null
  readonly triggering_firings: readonly StoredFiring[]
}

interface StoredBody {
  readonly automation: NamedAutomation
  readonly firing: StoredFiring
  readonly triggered: EventReference
  readonly chain: Chain
}

/**
 * Replaces the references in a body by the automation and the events, which is the format of older servers. Name and trigger are those of the firing; the
 * other fields are the current ones. An event that retention has removed becomes null and is listed in `missing`.
 */
export async function expandBody(db: Db, body: string): Promise<string> {
  const stored = JSON.parse(body) as StoredBody
  if (isWholeEvent(stored.triggered)) return body
  const { firing, triggered, chain } = stored
  const references = [triggered, ...referencesOf(firing)]
  const events = await readReferences(db, references)
  const row = await readAutomation(db, stored.automation.id)
  const { triggering_event: cause } = firing
  return writeJson({
    automation: { ...(row ? automationAnswer(row) : {}), ...stored.automation, trigger: firing.trigger },
    firing: withEvents(firing, events),
    triggered: rawJson(events.get(triggered.id) ?? null),
    triggered_reference: formatReference(triggered),
    reference: cause && formatReference(cause),
    missing: references.filter(({ id }) => !events.has(id)).map(({ id }) => id),
    chain,
  })
}

const formatReference = ({ id, occurred }: EventReference) => ({ id, occurred: typeof occurred === 'number' ? formatTime(occurred) : occurred })

/** The references of a firing and its child firings. A bucket of an older server may hold a whole event instead; it is skipped. */
function referencesOf({ triggering_event: event, triggering_firings }: StoredFiring): EventReference[] {
  return [...(event && !isWholeEvent(event) ? [event] : []), ...triggering_firings.flatMap(referencesOf)]
}

function withEvents(firing: StoredFiring, events: ReadonlyMap<string, string>): object {
  const { triggering_event: event, triggering_firings } = firing
  return {
    ...firing,
    triggering_event: event && !isWholeEvent(event) ? rawJson(events.get(event.id) ?? null) : event,
    triggering_firings: triggering_firings.map((one) => withEvents(one, events)),
  }
}

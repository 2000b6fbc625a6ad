import type { Trigger } from '@millrace/contracts/trigger.ts'
import { rawJson, writeJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import type { Chain } from './chain.ts'
import { type EventReference, isWholeEvent, readReferences } from './event-reference.ts'
import { type Firing, firingText } from './firing.ts'
import { automationAnswer, readAutomation } from './store.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** What is kept of a firing until its actions were taken. Events are references here. */
export const firingBody = ({ id, name }: Named, firing: Firing, triggered: EventReference, chain: Chain): string =>
  writeJson({ automation: { id, name }, firing: rawJson(firingText(firing)), triggered: { id: triggered.id, occurred: triggered.occurred }, chain })

interface StoredFiring {
  readonly trigger: Trigger
  readonly triggering_event: EventReference | null
  readonly triggering_firings: readonly StoredFiring[]
}

interface StoredBody {
  readonly automation: Named
  readonly firing: StoredFiring
  readonly triggered: EventReference
  readonly chain: Chain
}

/**
 * The body with the automation and the events that it refers to, as older servers kept it. The automation is as it is now, but for its name and trigger. An
 * event that retention has removed is null, and `missing` says so.
 */
export async function expandBody(db: Db, body: string): Promise<string> {
  const kept = JSON.parse(body) as StoredBody
  if (isWholeEvent(kept.triggered)) return body
  const { firing, triggered, chain } = kept
  const references = [triggered, ...referencesOf(firing)]
  const events = await readReferences(db, references)
  const row = await readAutomation(db, kept.automation.id)
  const { triggering_event: cause } = firing
  return writeJson({
    automation: { ...(row ? automationAnswer(row) : {}), ...kept.automation, trigger: firing.trigger },
    firing: withEvents(firing, events),
    triggered: rawJson(events.get(triggered.id) ?? null),
    triggered_reference: formatReference(triggered),
    reference: cause && formatReference(cause),
    missing: references.filter(({ id }) => !events.has(id)).map(({ id }) => id),
    chain,
  })
}

const formatReference = ({ id, occurred }: EventReference) => ({ id, occurred: typeof occurred === 'number' ? formatTime(occurred) : occurred })

/** Those of them that are no whole events already: a bucket of an older server may have held one. */
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

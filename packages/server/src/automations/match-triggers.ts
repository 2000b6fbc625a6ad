import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { EventRow } from '../events/store.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import type { Db } from '../storage/database.ts'
import { bucketSlot } from './bucket-buffer.ts'
import { type Chain, chainLengthMax, chainOf, chainSubjects, isSelfEmitted, readChains } from './chain.ts'
import { referenceTo } from './event-reference.ts'
import type { LoadedAutomations, RegisteredTrigger } from './loaded-automations.ts'
import { bucketLabelValues, matchesResources } from './triggers/matching.ts'
import type { TriggerEvent } from './triggers/trigger-event.ts'

/** An event that a trigger has to be shown, and where the trigger counts it. */
export interface TriggerMatch {
  readonly registered: RegisteredTrigger<EventTrigger>
  readonly event: TriggerEvent
  readonly slot: string
  readonly key: readonly string[]
}

/** Who has to be shown an event. Most events concern nobody, and are not even taken apart. */
export function matchTriggers(automations: LoadedAutomations, row: EventRow): TriggerMatch[] {
  // Written for every line of a log; nobody may act on them.
  if (row.event === 'prefect.log.write') return []
  const candidates = automations.byName(row.event)
  if (candidates.length === 0) return []
  const parts = { event: row.event, resource: JSON.parse(row.resource) as ResourceLabels, related: JSON.parse(row.related) as ResourceLabels[] }
  const concerned = candidates.filter(
    ({ automation, trigger }) => automation.activeSince <= row.received && !isSelfEmitted(parts, automation.id) && matchesResources(trigger, parts),
  )
  if (concerned.length === 0) return []
  const { id, position, occurred, received } = row
  const event: TriggerEvent = { id, position, occurred, received, ...parts, text: referenceTo(row) }
  return concerned.map((registered) => {
    const key = bucketLabelValues(registered.trigger, event)
    return { registered, event, slot: bucketSlot(registered, key), key }
  })
}

/** The automations that led to each of the events. */
export async function readEventChains(db: Db, events: readonly TriggerEvent[]): Promise<Map<TriggerEvent, Chain>> {
  const kept = await readChains(db, events.flatMap(chainSubjects))
  return new Map(events.map((event) => [event, chainOf(event, kept)]))
}

/** Whether a chain may go on with an automation. */
export const canExtendChain = (chain: Chain, automationId: string): boolean => chain.length < chainLengthMax && !chain.includes(automationId)

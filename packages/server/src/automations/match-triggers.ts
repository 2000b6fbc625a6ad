import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { MatchBudget, MatchLimitExceeded, stepsPerEvent } from '../events/match-budget.ts'
import type { EventRow } from '../events/store.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { TimeSlice } from '../lib/time-slice.ts'
import { bucketSlot } from './bucket-buffer.ts'
import { isSelfEmitted } from './chain.ts'
import { referenceTo } from './event-reference.ts'
import type { LoadedAutomation, LoadedAutomations, NamedTrigger, RegisteredTrigger } from './loaded-automations.ts'
import { bucketLabelValues, matchEventName, matchesResources, type TriggerEvent } from './triggers/matching.ts'

/** An event that a trigger matches, and the bucket that counts it. */
export interface TriggerMatch extends NamedTrigger {
  readonly event: TriggerEvent
  readonly slot: string
  readonly key: readonly string[]
}

/** Finds the triggers that events match. Lets other work run between the triggers: each can take a millisecond. */
export class TriggerMatcher {
  /** Why automations must be suspended: their patterns take too long to match. */
  readonly tooCostly = new Map<LoadedAutomation, string>()
  readonly #automations: LoadedAutomations
  readonly #slice = new TimeSlice()

  constructor(automations: LoadedAutomations) {
    this.#automations = automations
  }

  /** Most events match no trigger; their JSON is not parsed. */
  async match(row: EventRow): Promise<TriggerMatch[]> {
    // Written for every log line. Automations must not react to logs.
    if (row.event === 'prefect.log.write') return []
    const candidates = await this.#candidates(row.event)
    if (candidates.length === 0) return []
    const content = { event: row.event, resource: JSON.parse(row.resource) as ResourceLabels, related: JSON.parse(row.related) as ResourceLabels[] }
    const matching = await this.#filter(candidates, ({ registered: { automation, trigger } }, budget) => {
      return automation.activeSince <= row.received && !isSelfEmitted(content, automation.id) && matchesResources(trigger, content, budget)
    })
    if (matching.length === 0) return []
    const { id, position, occurred, received } = row
    const event: TriggerEvent = { id, position, occurred, received, ...content, text: referenceTo(row) }
    return matching.map((named) => {
      const key = bucketLabelValues(named.registered.trigger, event)
      return { ...named, event, slot: bucketSlot(named.registered, key), key }
    })
  }

  async #candidates(name: string): Promise<readonly NamedTrigger[]> {
    const known = this.#automations.byName(name)
    if (known) return known
    const found: NamedTrigger[] = []
    const all = this.#automations.triggers.map((registered) => ({ registered }))
    await this.#filter(all, ({ registered }, budget) => {
      const match = matchEventName(registered.trigger, name, budget)
      const matches = match.isExpected || match.startsPeriod
      if (matches) found.push({ registered, ...match })
      return matches
    })
    return this.#automations.rememberName(name, found)
  }

  /** Each test has its own budget. An automation that exceeds it matches nothing. */
  async #filter<T extends { readonly registered: RegisteredTrigger<EventTrigger> }>(
    triggers: readonly T[],
    test: (trigger: T, budget: MatchBudget) => boolean,
  ): Promise<T[]> {
    const found: T[] = []
    for (const named of triggers) {
      const { automation } = named.registered
      if (this.#slice.isExhausted) await this.#slice.next()
      if (this.tooCostly.has(automation)) continue
      try {
        if (test(named, new MatchBudget(stepsPerEvent))) found.push(named)
      } catch (error) {
        if (!(error instanceof MatchLimitExceeded)) throw error
        this.tooCostly.set(automation, error.reason)
      }
    }
    return found
  }
}

import type { Action } from '@millrace/contracts/action.ts'
import type { CompoundTrigger, EventTrigger, SequenceTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { parseJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import { type AutomationRow, readEnabledAutomations, readRevision } from './store.ts'
import { readNextResumeTime } from './suspension.ts'
import { isCatchAll } from './triggers/catch-all.ts'
import { mayMatchName } from './triggers/matching.ts'

export interface LoadedAutomation {
  readonly id: string
  readonly name: string
  readonly activeSince: Micros
  readonly trigger: Trigger
  readonly actions: readonly Action[]
  readonly actionsOnTrigger: readonly Action[]
  /** Whether it takes every event. */
  readonly catchesAll: boolean
}

/** A trigger in its place within an automation. */
export interface RegisteredTrigger<T extends Trigger = Trigger> {
  readonly automation: LoadedAutomation
  readonly trigger: T
  readonly parent: RegisteredTrigger<CompoundTrigger | SequenceTrigger> | null
}

/** Names come from clients: beyond this many the oldest answers are forgotten. */
const cachedNamesMax = 10_000

/** Every automation that is switched on and not suspended, ready to be asked. */
export class LoadedAutomations {
  readonly revision: number
  readonly triggers: readonly RegisteredTrigger<EventTrigger>[]
  /** When the first of those that are suspended resumes; null when none is. */
  readonly resumeAt: Micros | null
  /** Whether the triggers that count from the beginning have begun. */
  hasInitialBuckets = false
  readonly #byId: ReadonlyMap<string, RegisteredTrigger<EventTrigger>>
  readonly #order: ReadonlyMap<string, number>
  readonly #byName = new Map<string, readonly RegisteredTrigger<EventTrigger>[]>()

  readonly #automations: ReadonlyMap<string, LoadedAutomation>

  constructor(revision: number, automations: readonly LoadedAutomation[], resumeAt: Micros | null) {
    this.revision = revision
    this.resumeAt = resumeAt
    this.#automations = new Map(automations.map((automation) => [automation.id, automation]))
    this.triggers = automations.flatMap((automation) => collectEventTriggers({ automation, trigger: automation.trigger, parent: null }))
    this.#byId = new Map(this.triggers.map((registered) => [registered.trigger.id, registered]))
    this.#order = new Map(this.triggers.map(({ trigger }, index) => [trigger.id, index]))
  }

  automation(id: string): LoadedAutomation | undefined {
    return this.#automations.get(id)
  }

  byId(triggerId: string): RegisteredTrigger<EventTrigger> | undefined {
    return this.#byId.get(triggerId)
  }

  /** Its place among all of them; 0 when it is not there. */
  orderOf(triggerId: string): number {
    return this.#order.get(triggerId) ?? 0
  }

  /** Those that an event of the name could matter to. */
  byName(name: string): readonly RegisteredTrigger<EventTrigger>[] {
    const known = this.#byName.get(name)
    if (known) return known
    const found = lastTriggerFirst(this.triggers.filter(({ trigger }) => mayMatchName(trigger, name)))
    if (this.#byName.size >= cachedNamesMax) this.#byName.delete(this.#byName.keys().next().value as string)
    this.#byName.set(name, found)
    return found
  }
}

/**
 * Of each automation the last trigger first. Where a sequence expects the same event twice, one event then answers the later place and begins anew with
 * the earlier; the other way round it would push away the firing that the sequence began with, and a sequence of two would be complete at once.
 */
const lastTriggerFirst = (found: readonly RegisteredTrigger<EventTrigger>[]): RegisteredTrigger<EventTrigger>[] =>
  [...Map.groupBy(found, ({ automation }) => automation.id).values()].flatMap((own) => own.reverse())

function collectEventTriggers(registered: RegisteredTrigger): RegisteredTrigger<EventTrigger>[] {
  const { automation, trigger } = registered
  if (trigger.type === 'event') return [registered as RegisteredTrigger<EventTrigger>]
  const parent = registered as RegisteredTrigger<CompoundTrigger | SequenceTrigger>
  return trigger.triggers.flatMap((child) => collectEventTriggers({ automation, trigger: child, parent }))
}

const cache = perServer((): { automations: LoadedAutomations | undefined } => ({ automations: undefined }))

/** Reads the automations again only when one of them has changed. */
export async function loadedAutomations(context: ServerContext): Promise<LoadedAutomations> {
  const kept = cache(context)
  const revision = await readRevision(context.reads)
  if (kept.automations?.revision !== revision) kept.automations = await loadAutomations(context.reads, revision)
  return kept.automations
}

const loadAutomations = async (db: Db, revision: number): Promise<LoadedAutomations> =>
  new LoadedAutomations(revision, (await readEnabledAutomations(db)).map(toLoadedAutomation), await readNextResumeTime(db))

function toLoadedAutomation(row: AutomationRow): LoadedAutomation {
  const trigger = JSON.parse(row.trigger) as Trigger
  return {
    id: row.id,
    name: row.name,
    activeSince: row.active_since,
    trigger,
    actions: parseJson(row.actions) as Action[],
    actionsOnTrigger: parseJson(row.actions_on_trigger) as Action[],
    catchesAll: isCatchAll(trigger),
  }
}

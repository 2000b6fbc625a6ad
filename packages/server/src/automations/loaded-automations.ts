import type { Action } from '@millrace/contracts/action.ts'
import type { CompoundTrigger, EventTrigger, SequenceTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { parseJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { perServer } from '../storage/per-server.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { type AutomationRow, readEnabledAutomations, readRevision } from './store.ts'
import { readFirstEnd } from './suspension.ts'
import { isCatchAll } from './triggers/catch-all.ts'
import { caresForName } from './triggers/matching.ts'

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
export interface Placed<T extends Trigger = Trigger> {
  readonly automation: LoadedAutomation
  readonly trigger: T
  readonly parent: Placed<CompoundTrigger | SequenceTrigger> | null
}

/** Names come from clients: beyond this many the oldest answers are forgotten. */
const namesMax = 10_000

/** Every automation that is switched on and not suspended, ready to be asked. */
export class LoadedAutomations {
  readonly revision: number
  readonly triggers: readonly Placed<EventTrigger>[]
  /** When the first of those that are suspended resumes; null when none is. */
  readonly resumeAt: Micros | null
  /** Whether the triggers that count from the beginning have begun. */
  begun = false
  readonly #byId: ReadonlyMap<string, Placed<EventTrigger>>
  readonly #places: ReadonlyMap<string, number>
  readonly #byName = new Map<string, readonly Placed<EventTrigger>[]>()

  readonly #automations: ReadonlyMap<string, LoadedAutomation>

  constructor(revision: number, automations: readonly LoadedAutomation[], resumeAt: Micros | null) {
    this.revision = revision
    this.resumeAt = resumeAt
    this.#automations = new Map(automations.map((automation) => [automation.id, automation]))
    this.triggers = automations.flatMap((automation) => eventTriggers({ automation, trigger: automation.trigger, parent: null }))
    this.#byId = new Map(this.triggers.map((placed) => [placed.trigger.id, placed]))
    this.#places = new Map(this.triggers.map(({ trigger }, index) => [trigger.id, index]))
  }

  automation(id: string): LoadedAutomation | undefined {
    return this.#automations.get(id)
  }

  byId(triggerId: string): Placed<EventTrigger> | undefined {
    return this.#byId.get(triggerId)
  }

  /** Its place among all of them; 0 when it is not there. */
  placeOf(triggerId: string): number {
    return this.#places.get(triggerId) ?? 0
  }

  /** Those that an event of the name could matter to. */
  byName(name: string): readonly Placed<EventTrigger>[] {
    const known = this.#byName.get(name)
    if (known) return known
    const found = lastFirst(this.triggers.filter(({ trigger }) => caresForName(trigger, name)))
    if (this.#byName.size >= namesMax) this.#byName.delete(this.#byName.keys().next().value as string)
    this.#byName.set(name, found)
    return found
  }
}

/**
 * Of each automation the last trigger first. Where a sequence expects the same event twice, one event then answers the later place and begins anew with
 * the earlier; the other way round it would push away the firing that the sequence began with, and a sequence of two would be complete at once.
 */
const lastFirst = (found: readonly Placed<EventTrigger>[]): Placed<EventTrigger>[] =>
  [...Map.groupBy(found, ({ automation }) => automation.id).values()].flatMap((own) => own.reverse())

function eventTriggers(placed: Placed): Placed<EventTrigger>[] {
  const { automation, trigger } = placed
  if (trigger.type === 'event') return [placed as Placed<EventTrigger>]
  const parent = placed as Placed<CompoundTrigger | SequenceTrigger>
  return trigger.triggers.flatMap((child) => eventTriggers({ automation, trigger: child, parent }))
}

const cache = perServer((): { automations: LoadedAutomations | undefined } => ({ automations: undefined }))

/** Reads the automations again only when one of them has changed. */
export async function loadedAutomations(context: ServerContext): Promise<LoadedAutomations> {
  const kept = cache(context)
  const revision = await readRevision(context.reads)
  if (kept.automations?.revision !== revision) kept.automations = await load(context.reads, revision)
  return kept.automations
}

const load = async (db: Db, revision: number): Promise<LoadedAutomations> =>
  new LoadedAutomations(revision, (await readEnabledAutomations(db)).map(loaded), await readFirstEnd(db))

function loaded(row: AutomationRow): LoadedAutomation {
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

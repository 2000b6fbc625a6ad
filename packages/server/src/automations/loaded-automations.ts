import type { Action } from '@millrace/contracts/action.ts'
import type { CompoundTrigger, EventTrigger, SequenceTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { parseJson } from '../lib/json.ts'
import type { Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import { type AutomationRow, readEnabledAutomations } from './store.ts'
import { readNextResumeTime } from './suspension.ts'
import { isCatchAll } from './triggers/automation-events.ts'
import type { NameMatch } from './triggers/matching.ts'

export interface LoadedAutomation {
  readonly id: string
  readonly name: string
  readonly activeSince: Micros
  readonly trigger: Trigger
  readonly actions: readonly Action[]
  readonly actionsOnTrigger: readonly Action[]
  /** Whether its trigger matches every event. */
  readonly catchesAll: boolean
}

/** A trigger with its automation and its parent trigger. */
export interface RegisteredTrigger<T extends Trigger = Trigger> {
  readonly automation: LoadedAutomation
  readonly trigger: T
  readonly parent: RegisteredTrigger<CompoundTrigger | SequenceTrigger> | null
}

/** A trigger that an event of a name can match. */
export interface NamedTrigger extends NameMatch {
  readonly registered: RegisteredTrigger<EventTrigger>
}

/** Event names come from clients, so the cache is bounded. The oldest entry is evicted first. */
const cachedNamesMax = 10_000

/** All enabled automations that are not suspended, indexed for evaluation. */
export class LoadedAutomations {
  readonly revision: number
  readonly triggers: readonly RegisteredTrigger<EventTrigger>[]
  /** When the next suspension ends; null when no automation is suspended. */
  readonly resumeAt: Micros | null
  /** Whether the first period of proactive triggers without `after` is open. */
  hasInitialBuckets = false
  readonly #byId: ReadonlyMap<string, RegisteredTrigger<EventTrigger>>
  readonly #order: ReadonlyMap<string, number>
  readonly #byName = new Map<string, readonly NamedTrigger[]>()

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

  /** The index of a trigger among all triggers; 0 when it is unknown. */
  orderOf(triggerId: string): number {
    return this.#order.get(triggerId) ?? 0
  }

  /** The triggers that an event of this name can match, if they are known. */
  byName(name: string): readonly NamedTrigger[] | undefined {
    return this.#byName.get(name)
  }

  rememberName(name: string, found: readonly NamedTrigger[]): readonly NamedTrigger[] {
    const ordered = lastTriggerFirst(found)
    if (this.#byName.size >= cachedNamesMax) this.#byName.delete(this.#byName.keys().next().value as string)
    this.#byName.set(name, ordered)
    return ordered
  }
}

/**
 * Reverses the triggers of each automation. When a sequence expects the same event twice, an event must fire the later child before the earlier one. In the
 * other order, one event would complete a sequence of two at once.
 */
const lastTriggerFirst = (found: readonly NamedTrigger[]): NamedTrigger[] =>
  [...Map.groupBy(found, ({ registered }) => registered.automation.id).values()].flatMap((triggers) => triggers.reverse())

function collectEventTriggers(registered: RegisteredTrigger): RegisteredTrigger<EventTrigger>[] {
  const { automation, trigger } = registered
  if (trigger.type === 'event') return [registered as RegisteredTrigger<EventTrigger>]
  const parent = registered as RegisteredTrigger<CompoundTrigger | SequenceTrigger>
  return trigger.triggers.flatMap((child) => collectEventTriggers({ automation, trigger: child, parent }))
}

const cache = perServer((): { automations: LoadedAutomations | undefined } => ({ automations: undefined }))

/** Reloads the automations only if the revision, which was read before, is another one. */
export async function loadedAutomations(context: ServerContext, revision: number): Promise<LoadedAutomations> {
  const cached = cache(context)
  if (cached.automations?.revision !== revision) cached.automations = await loadAutomations(context.reads, revision)
  return cached.automations
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

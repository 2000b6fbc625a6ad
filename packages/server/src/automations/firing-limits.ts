import type { Action } from '@millrace/contracts/action.ts'
import type { Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { FiringUsage, minuteOf } from './firing-usage.ts'
import type { LoadedAutomation, LoadedAutomations } from './loaded-automations.ts'
import { suspendAutomations } from './suspension.ts'

/** The weight of a firing whose event was caused by an automation. Firing loops consist of such events; normal use has few. */
const chainedWeight = 10

/** Usage scope of all catch-all automations: events they caused (`used`) and events that reached them (`earned`). */
const catchAllScope = 'catch-all'

/** Events per minute that catch-all automations can cause beyond their share, so that a few of them on a quiet server are never limited. */
const catchAllAllowance = 24

export interface FiringAt {
  /** When the event was received. A late evaluation counts in that minute. */
  readonly at: Micros
  /** Whether an automation caused the event. */
  readonly chained: boolean
}

/**
 * Decides whether an automation may fire. There are three limits per minute: firings of one automation, firings of all automations, and events caused by
 * all catch-all automations. An automation above a limit is suspended. Usage is stored in the database, so that servers share it and it survives a
 * restart. Only the evaluation step writes it.
 */
export class FiringLimits {
  readonly #context: ServerContext
  readonly #tx: Tx
  readonly #now: Micros
  readonly #suspended = new Map<string, { readonly automation: LoadedAutomation; readonly reason: string }>()
  readonly #automations: LoadedAutomations
  #usage: FiringUsage | undefined
  /** Firings of all automations in a minute. */
  #total: { minute: number; used: number } | undefined

  constructor(context: ServerContext, tx: Tx, automations: LoadedAutomations, now: Micros) {
    this.#context = context
    this.#tx = tx
    this.#automations = automations
    this.#now = now
  }

  isSuspended(automationId: string): boolean {
    return this.#suspended.has(automationId)
  }

  suspend(automation: LoadedAutomation, reason: string): void {
    this.#suspended.set(automation.id, { automation, reason })
  }

  /** Raises the budget of catch-all automations by events that no automation caused. */
  async credit(events: number, at: Micros): Promise<void> {
    if (events > 0) (await this.#read(at)).add(catchAllScope, minuteOf(at), { earned: events })
  }

  async allow(automation: LoadedAutomation, { at, chained }: FiringAt): Promise<boolean> {
    const usage = await this.#read(at)
    const minute = minuteOf(at)
    const weight = chained ? chainedWeight : 1
    const limits = this.#context.config.automations
    if (usage.of(automation.id, minute).used + weight > limits.maximum_firings_per_minute) {
      return this.#deny(
        automation,
        `It fired more than ${limits.maximum_firings_per_minute} times in a minute (automations.maximum_firings_per_minute)`,
      )
    }
    if (automation.catchesAll) {
      const { used, earned } = usage.of(catchAllScope, minute)
      const cost = estimateEvents(automation)
      if (used + cost > catchAllAllowance + earned * limits.maximum_catch_all_events_per_event) {
        return this.#deny(
          automation,
          `Automations that match every event caused more than ${limits.maximum_catch_all_events_per_event} events per event they received ` +
            '(automations.maximum_catch_all_events_per_event). List the expected events in its trigger',
        )
      }
      usage.add(catchAllScope, minute, { used: cost })
    }
    usage.add(automation.id, minute, { used: weight })
    return this.#allowTotal(automation, usage, minute, weight)
  }

  /** Above the total limit, the automation with the most firings is suspended. It may be another one. */
  #allowTotal(automation: LoadedAutomation, usage: FiringUsage, minute: number, weight: number): boolean {
    const limit = this.#context.config.automations.maximum_total_firings_per_minute
    // Suspended and removed automations no longer count.
    const firing = () => usage.inMinute(minute).filter(({ scope }) => this.#automations.automation(scope) && !this.#suspended.has(scope))
    if (this.#total?.minute === minute) this.#total.used += weight
    else this.#total = { minute, used: firing().reduce((sum, { used }) => sum + used, 0) }
    if (this.#total.used <= limit) return true
    const most = firing().reduce((a, b) => (b.used > a.used ? b : a))
    this.#total.used -= most.used
    this.suspend(
      this.#automations.automation(most.scope) as LoadedAutomation,
      `All automations together fired more than ${limit} times in a minute (automations.maximum_total_firings_per_minute), and this one fired most`,
    )
    return most.scope !== automation.id
  }

  #deny(automation: LoadedAutomation, reason: string): false {
    this.suspend(automation, reason)
    return false
  }

  async #read(at: Micros): Promise<FiringUsage> {
    this.#usage ??= await FiringUsage.read(this.#tx, minuteOf(at))
    return this.#usage
  }

  async write(): Promise<void> {
    await this.#usage?.write(this.#tx)
    for (const [reason, group] of Map.groupBy(this.#suspended.values(), ({ reason }) => reason)) {
      await suspendAutomations(
        this.#context,
        this.#tx,
        group.map(({ automation }) => automation),
        reason,
        this.#now,
      )
    }
  }
}

/** One event for the firing, two for each action, and those that the action is likely to cause. */
const estimateEvents = ({ actions, actionsOnTrigger }: LoadedAutomation): number =>
  1 + [...actions, ...actionsOnTrigger].reduce((sum, { type }) => sum + 2 + estimateEffects(type), 0)

function estimateEffects(type: Action['type']): number {
  if (type === 'do-nothing') return 0
  // A new run has about four states: Scheduled, Pending, Running and a final one.
  return type === 'run-deployment' ? 4 : 2
}

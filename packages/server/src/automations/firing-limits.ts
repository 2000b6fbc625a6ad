import type { Action } from '@millrace/contracts/action.ts'
import type { Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { FiringUsage, minuteOf } from './firing-usage.ts'
import type { LoadedAutomation, LoadedAutomations } from './loaded-automations.ts'
import { suspendAutomations } from './suspension.ts'

/** A firing upon an event that an automation caused: storms are made of these, and little else is. */
const chainedWeight = 10

/** Under this scope stands what the automations that catch every event have caused, and by how many events they were reached. */
const catchAllScope = 'catch-all'

/** What they may cause in a minute beside their share of the events: a few automations that see one event now and then need not be counted. */
const catchAllAllowance = 24

export interface FiringAt {
  /** When the event was received: what is read late counts for its own minute. */
  readonly at: Micros
  /** Whether an automation caused the event. */
  readonly chained: boolean
}

/**
 * Decides whether an automation may fire. There are three limits, each for a minute: firings of one automation, firings of all of them, and events that
 * automations without any condition cause together. An automation above a limit is suspended. What was used is kept in the database: it is
 * shared by all servers and survives a restart, and the step that evaluates is alone in changing it.
 */
export class FiringLimits {
  readonly #context: ServerContext
  readonly #tx: Tx
  readonly #now: Micros
  readonly #suspended = new Map<string, { readonly automation: LoadedAutomation; readonly reason: string }>()
  readonly #automations: LoadedAutomations
  #usage: FiringUsage | undefined
  /** Firings of all of them in a minute. */
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

  /** Events that no automation caused reach automations that catch every event; each allows them to cause some. */
  async credit(events: number, at: Micros): Promise<void> {
    if (events > 0) (await this.#read(at)).add(catchAllScope, minuteOf(at), { earned: events })
  }

  async allow(automation: LoadedAutomation, { at, chained }: FiringAt): Promise<boolean> {
    const usage = await this.#read(at)
    const minute = minuteOf(at)
    const weight = chained ? chainedWeight : 1
    const limits = this.#context.config.automations
    if (usage.of(automation.id, minute).used + weight > limits.maximum_firings_per_minute) {
      return this.#suspend(
        automation,
        `It fired more often than ${limits.maximum_firings_per_minute} times within a minute (automations.maximum_firings_per_minute)`,
      )
    }
    if (automation.catchesAll) {
      const { used, earned } = usage.of(catchAllScope, minute)
      const cost = estimateEvents(automation)
      if (used + cost > catchAllAllowance + earned * limits.maximum_catch_all_events_per_event) {
        return this.#suspend(
          automation,
          `Automations that catch every event caused more than ${limits.maximum_catch_all_events_per_event} events for each event that reached them ` +
            '(automations.maximum_catch_all_events_per_event). Name the events that it needs in its trigger',
        )
      }
      usage.add(catchAllScope, minute, { used: cost })
    }
    usage.add(automation.id, minute, { used: weight })
    return this.#allowTotal(automation, usage, minute, weight)
  }

  /** Above the limit for all the automation that fired most is suspended, which may be another one. */
  #allowTotal(automation: LoadedAutomation, usage: FiringUsage, minute: number, weight: number): boolean {
    const limit = this.#context.config.automations.maximum_total_firings_per_minute
    // Those that were suspended or removed since do not fire any more.
    const firing = () => usage.inMinute(minute).filter(({ scope }) => this.#automations.automation(scope) && !this.#suspended.has(scope))
    if (this.#total?.minute === minute) this.#total.used += weight
    else this.#total = { minute, used: firing().reduce((sum, { used }) => sum + used, 0) }
    if (this.#total.used <= limit) return true
    const most = firing().reduce((a, b) => (b.used > a.used ? b : a))
    this.#total.used -= most.used
    this.#suspend(
      this.#automations.automation(most.scope) as LoadedAutomation,
      `All automations together fired more often than ${limit} times within a minute (automations.maximum_total_firings_per_minute), and this one most`,
    )
    return most.scope !== automation.id
  }

  #suspend(automation: LoadedAutomation, reason: string): false {
    this.#suspended.set(automation.id, { automation, reason })
    return false
  }

  async #read(at: Micros): Promise<FiringUsage> {
    this.#usage ??= await FiringUsage.read(this.#tx, minuteOf(at))
    return this.#usage
  }

  async write(): Promise<void> {
    await this.#usage?.write(this.#tx)
    for (const [reason, group] of Map.groupBy(this.#suspended.values(), (one) => one.reason)) {
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

/** Events that tell of a firing and of each action, and those that the action is likely to cause. */
const estimateEvents = ({ actions, actionsOnTrigger }: LoadedAutomation): number =>
  1 + [...actions, ...actionsOnTrigger].reduce((sum, { type }) => sum + 2 + estimateEffects(type), 0)

function estimateEffects(type: Action['type']): number {
  if (type === 'do-nothing') return 0
  // The states of a run that nobody has picked up yet, and those up to its end.
  return type === 'run-deployment' ? 4 : 2
}

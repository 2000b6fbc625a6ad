import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { EventRow } from '../events/store.ts'
import type { Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Row } from '../storage/tables.ts'
import type { Chain } from './chain.ts'
import { ChildFiringBuffer } from './child-firing-buffer.ts'
import { StepEvents } from './event-reference.ts'
import { type Firing, firingText } from './firing.ts'
import { FiringBuffer } from './firing-buffer.ts'
import { FiringLimits } from './firing-limits.ts'
import type { LoadedAutomation, LoadedAutomations, RegisteredTrigger } from './loaded-automations.ts'
import { writeStatuses } from './status.ts'

interface TriggerFiring {
  readonly event: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly firings?: readonly string[]
}

/** Where in the log it happened. */
interface LogPosition {
  readonly at: Micros
  readonly position: number
}

/** What a step is about. */
interface StepInput {
  readonly automations: LoadedAutomations
  readonly now: Micros
  /** The events that it shows. */
  readonly events: Iterable<EventRow>
}

/** What a step comes to, written at its end. */
export class StepOutcome {
  fired = 0
  readonly #context: ServerContext
  readonly #now: Micros
  readonly #tx: Tx
  readonly #children: ChildFiringBuffer
  readonly #firings: FiringBuffer
  readonly #events: StepEvents
  readonly limits: FiringLimits
  readonly #statuses = new Map<string, Row<'automation_status'>>()

  constructor(context: ServerContext, tx: Tx, { automations, now, events: shown }: StepInput) {
    this.#context = context
    this.#now = now
    this.#tx = tx
    this.#children = new ChildFiringBuffer(tx)
    this.#firings = new FiringBuffer(context, tx)
    this.#events = new StepEvents(tx, shown)
    this.limits = new FiringLimits(context, tx, automations, now)
  }

  /** A trigger has fired: its automation does, or the trigger that it is part of is told. */
  async fire(
    registered: RegisteredTrigger<Trigger>,
    { event, labels, firings = [] }: TriggerFiring,
    place: LogPosition,
    chain: Chain,
  ): Promise<void> {
    const { automation, trigger, parent } = registered
    const firing: Firing = { id: this.#context.newId(), trigger, triggered: this.#context.clock.now(), labels, firings, event }
    if (!parent) {
      if (!(await this.limits.allow(automation, { at: place.at, chained: chain.length > 0 }))) return
      this.fired += 1
      await this.#firings.add(automation, firing, this.#events, [...chain, automation.id])
      this.#setStatus(automation, this.#now, null)
      return
    }
    const step = await this.#children.evaluate(parent, { id: firing.id, triggerId: trigger.id, ...place, text: firingText(firing) })
    if (step.fired) await this.fire(parent, { event, labels: {}, firings: step.fired.map(({ text }) => text) }, place, chain)
    else this.notFired(automation, step.reason)
  }

  /** A trigger was asked and did not fire. */
  notFired(automation: LoadedAutomation, reason: string): void {
    this.#setStatus(automation, this.#statuses.get(automation.id)?.last_fired ?? null, reason)
  }

  #setStatus({ id }: LoadedAutomation, lastFired: Micros | null, reason: string | null): void {
    this.#statuses.set(id, { automation_id: id, last_evaluated: this.#now, last_fired: lastFired, reason })
  }

  async write(): Promise<void> {
    await this.#children.write()
    await this.#firings.write()
    await writeStatuses(this.#tx, [...this.#statuses.values()])
    // Last: what a suspended automation has counted in this step is forgotten.
    await this.limits.write()
  }
}

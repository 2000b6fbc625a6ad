import type { Action } from '@millrace/contracts/action.ts'
import type { Trigger } from '@millrace/contracts/trigger.ts'
import type { EventRow } from '../events/store.ts'
import { composeJsonText } from '../lib/json.ts'
import { formatTime, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Row } from '../storage/tables.ts'
import { enqueueActions, isOutbound } from './action-queue.ts'
import type { Chain } from './chain.ts'
import { ChildFiringBuffer } from './child-firing-buffer.ts'
import { type EventReference, StepEvents } from './event-reference.ts'
import { type Firing, firingBody, firingText } from './firing-body.ts'
import { type Cause, triggeredEvent } from './firing-events.ts'
import { FiringLimits } from './firing-limits.ts'
import type { LoadedAutomation, LoadedAutomations, RegisteredTrigger } from './loaded-automations.ts'
import { writeStatuses } from './status.ts'

interface TriggerFiring {
  readonly event: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly firings?: readonly string[]
}

/** When and where in the log a trigger fired. */
interface LogPosition {
  readonly at: Micros
  readonly position: number
}

interface StepInput {
  readonly automations: LoadedAutomations
  readonly now: Micros
  /** The events that the step evaluates. */
  readonly events: Iterable<EventRow>
}

/**
 * Collects the results of an evaluation step: an event for each firing, a queue row for each action, statuses, child firings and usage. All of it is
 * written at the end of the step, in its transaction.
 */
export class StepOutcome {
  fired = 0
  readonly #context: ServerContext
  readonly #now: Micros
  readonly #tx: Tx
  readonly #children: ChildFiringBuffer
  readonly #firings: Row<'automation_firing'>[] = []
  readonly #queue: Row<'automation_invocation'>[] = []
  readonly #events: StepEvents
  readonly limits: FiringLimits
  readonly #statuses = new Map<string, Row<'automation_status'>>()

  constructor(context: ServerContext, tx: Tx, { automations, now, events }: StepInput) {
    this.#context = context
    this.#now = now
    this.#tx = tx
    this.#children = new ChildFiringBuffer(tx)
    this.#events = new StepEvents(tx, events)
    this.limits = new FiringLimits(context, tx, automations, now)
  }

  /** Handles a firing: the automation fires, or the parent trigger is evaluated. */
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
      await this.#enqueue(automation, firing, [...chain, automation.id])
      this.#setStatus(automation, this.#now, null)
      return
    }
    const step = await this.#children.evaluate(parent, { id: firing.id, triggerId: trigger.id, ...place, text: firingText(firing) })
    if (step.fired) await this.fire(parent, { event, labels: {}, firings: step.fired.map(({ text }) => text) }, place, chain)
    else this.notFired(automation, step.reason)
  }

  /** Emits the event of the firing and queues its actions. */
  async #enqueue(automation: LoadedAutomation, firing: Firing, chain: Chain): Promise<void> {
    const { newId } = this.#context
    const event = triggeredEvent(automation, firing, await readCause(firing, this.#events), chain, newId())
    this.#tx.emit(event)
    const actions = [
      ...automation.actions.map((action) => ({ action, onTriggered: false })),
      ...automation.actionsOnTrigger.map((action) => ({ action, onTriggered: true })),
    ]
    if (actions.length === 0) return
    this.#firings.push({
      id: firing.id,
      automation_id: automation.id,
      created: firing.triggered,
      body: firingBody(automation, firing, event, chain),
    })
    for (const [index, { action, onTriggered }] of actions.entries())
      this.#queue.push(this.#queueRow(automation.id, firing.id, index, action, onTriggered))
  }

  #queueRow(automationId: string, firingId: string, index: number, action: Action, onTriggered: boolean): Row<'automation_invocation'> {
    return {
      id: this.#context.newId(),
      firing_id: firingId,
      automation_id: automationId,
      action_index: index,
      action: composeJsonText(action),
      on_triggered: onTriggered,
      outbound: isOutbound(action),
      attempts: 0,
      claimed: null,
    }
  }

  /** Records why an evaluated trigger did not fire. */
  notFired(automation: LoadedAutomation, reason: string): void {
    this.#setStatus(automation, this.#statuses.get(automation.id)?.last_fired ?? null, reason)
  }

  #setStatus({ id }: LoadedAutomation, lastFired: Micros | null, reason: string | null): void {
    this.#statuses.set(id, { automation_id: id, last_evaluated: this.#now, last_fired: lastFired, reason })
  }

  async write(): Promise<void> {
    await this.#children.write()
    await enqueueActions(this.#tx, this.#firings, this.#queue)
    await writeStatuses(this.#tx, [...this.#statuses.values()])
    // Last, because suspending an automation deletes the counts that this step wrote.
    await this.limits.write()
  }
}

async function readCause({ event: reference }: Firing, events: StepEvents): Promise<Cause> {
  if (reference === null) return { event: null, text: null }
  const { id, occurred } = JSON.parse(reference) as EventReference
  // Older servers stored the event itself, with the time as text.
  return { event: { id, occurred: typeof occurred === 'number' ? formatTime(occurred) : occurred }, text: await events.readText(reference) }
}

import type { Action } from '@millrace/contracts/action.ts'
import { composeJsonText } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Row } from '../storage/tables.ts'
import type { Chain } from './chain.ts'
import type { EventReference, StepEvents } from './event-reference.ts'
import { isOutbound } from './execute-action.ts'
import type { Firing } from './firing.ts'
import { firingBody } from './firing-body.ts'
import { type Cause, triggeredEvent } from './firing-events.ts'
import type { LoadedAutomation } from './loaded-automations.ts'

/** Wakes whoever takes actions. */
export const actionsQueued = 'automation-actions'
export const outboundActionsQueued = 'automation-calls'

/** What the firings of a step come to: an event for each, and a row for each action that is to be taken. All of it in the step's transaction. */
export class FiringBuffer {
  readonly #context: ServerContext
  readonly #firings: Row<'automation_firing'>[] = []
  readonly #invocations: Row<'automation_invocation'>[] = []
  readonly #tx: Tx

  constructor(context: ServerContext, tx: Tx) {
    this.#context = context
    this.#tx = tx
  }

  async add(automation: LoadedAutomation, firing: Firing, events: StepEvents, chain: Chain): Promise<void> {
    const { newId } = this.#context
    const told = triggeredEvent(automation, firing, await readCause(firing, events), chain, newId())
    this.#tx.emit(told)
    const actions = [
      ...automation.actions.map((action) => ({ action, onTriggered: false })),
      ...automation.actionsOnTrigger.map((action) => ({ action, onTriggered: true })),
    ]
    if (actions.length === 0) return
    this.#firings.push({
      id: firing.id,
      automation_id: automation.id,
      created: firing.triggered,
      body: firingBody(automation, firing, told, chain),
    })
    for (const [index, { action, onTriggered }] of actions.entries())
      this.#invocations.push(this.#queuedAction(automation.id, firing.id, index, action, onTriggered))
  }

  #queuedAction(automationId: string, firingId: string, index: number, action: Action, onTriggered: boolean): Row<'automation_invocation'> {
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

  async write(): Promise<void> {
    await this.#tx.insert('automation_firing', this.#firings)
    await this.#tx.insert('automation_invocation', this.#invocations)
    if (this.#invocations.some(({ outbound }) => !outbound)) this.#tx.notify(actionsQueued)
    if (this.#invocations.some(({ outbound }) => outbound)) this.#tx.notify(outboundActionsQueued)
  }
}

async function readCause({ event: kept }: Firing, events: StepEvents): Promise<Cause> {
  if (kept === null) return { event: null, text: null }
  const { id, occurred } = JSON.parse(kept) as EventReference
  // An older server kept the event itself, whose time is text.
  return { event: { id, occurred: typeof occurred === 'number' ? formatTime(occurred) : occurred }, text: await events.readText(kept) }
}

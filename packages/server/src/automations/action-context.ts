import type { Action } from '@millrace/contracts/action.ts'
import { ApiError, InvalidRequest } from '../errors.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import type { Tx } from '../storage/database.ts'
import type { ActingContext } from '../storage/server-context.ts'
import type { TriggerFacts } from './trigger-facts.ts'

export interface ActionResult {
  /** The targets of the action and the resources that it created. */
  readonly related: readonly ResourceLabels[]
  readonly details: Readonly<Record<string, unknown>>
  /** Set when the action failed but its writes are committed. */
  readonly failure?: string
}

/** Fails an action without another attempt. */
export class ActionFailed extends Error implements ActionResult {
  readonly related: readonly ResourceLabels[]
  readonly details: Readonly<Record<string, unknown>>
  /** The write queue treats errors with a status as rejections and does not log them as defects. */
  readonly status = 409

  constructor(reason: string, { related = [], details = {} }: Partial<ActionResult> = {}) {
    super(reason)
    this.related = related
    this.details = details
  }
}

/** Everything that an action needs to run. */
export interface ActionContext<A extends Action = Action> {
  /** The actor is the automation. */
  readonly context: ActingContext
  readonly action: A
  readonly facts: TriggerFacts
  /** The id of this execution. Used in idempotency keys. */
  readonly invocation: string
  readonly actionIndex: number
}

/**
 * Implements one type of action. `prepare` runs outside a transaction and does what is slow or calls other systems. The function it returns writes the
 * result in the transaction that removes the action from the queue; it runs again when that transaction is retried.
 */
export interface ActionKind<T extends Action['type']> {
  readonly type: T
  prepare(actionContext: ActionContext<Extract<Action, { type: T }>>): Promise<(tx: Tx) => Promise<ActionResult>>
}

/** An action without preparation. */
export const actionKind = <T extends Action['type']>(
  type: T,
  write: (actionContext: ActionContext<Extract<Action, { type: T }>>, tx: Tx) => Promise<ActionResult>,
): ActionKind<T> => ({
  type,
  prepare: async (actionContext) => (tx) => write(actionContext, tx),
})

/** Calls an operation of a domain. A rejection fails the action with the status that the API would return. */
export async function callDomain<R>(related: readonly ResourceLabels[], operation: () => Promise<R>): Promise<R> {
  try {
    return await operation()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const reason = error instanceof InvalidRequest ? error.faults.map(({ msg }) => msg).join('; ') : error.message
    throw new ActionFailed(reason, { related, details: { status_code: error.status } })
  }
}

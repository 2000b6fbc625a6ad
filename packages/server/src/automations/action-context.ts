import type { Action } from '@millrace/contracts/action.ts'
import { ApiError, InvalidRequest } from '../errors.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { TriggerFacts } from './trigger-facts.ts'

/** What was done, as the events tell it. */
export interface ActionResult {
  /** The things that it was done to, and those that came of it. */
  readonly related: readonly ResourceLabels[]
  readonly details: Readonly<Record<string, unknown>>
  /** Why it failed, when what was written all the same has to stay. */
  readonly failure?: string
}

/** An action that could not be taken, and will not be tried again. */
export class ActionFailed extends Error implements ActionResult {
  readonly related: readonly ResourceLabels[]
  readonly details: Readonly<Record<string, unknown>>
  /** The lane takes errors with a status for refusals: whoever throws one has decided, nothing is broken. */
  readonly status = 409

  constructor(reason: string, { related = [], details = {} }: Partial<ActionResult> = {}) {
    super(reason)
    this.related = related
    this.details = details
  }
}

/** An action that is to be taken. */
export interface ActionContext<A extends Action = Action> {
  readonly context: ServerContext
  readonly action: A
  readonly facts: TriggerFacts
  /** Of this one taking of the action: names what comes of it, so that it comes once. */
  readonly invocation: string
  readonly actionIndex: number
}

/**
 * How an action of a kind is taken. What takes long or calls the outside is worked out beforehand, without a transaction; `write` then does it, in the
 * transaction that also takes the action off the list. It may be called again if that transaction has to be tried again.
 */
export interface ActionKind<T extends Action['type']> {
  readonly type: T
  /** Whether it calls the outside: then it is claimed first, and `prepare` is where it happens. */
  readonly outbound?: boolean
  prepare(actionContext: ActionContext<Extract<Action, { type: T }>>): Promise<(tx: Tx) => Promise<ActionResult>>
}

/** An action that needs nothing worked out. */
export const actionKind = <T extends Action['type']>(
  type: T,
  write: (actionContext: ActionContext<Extract<Action, { type: T }>>, tx: Tx) => Promise<ActionResult>,
): ActionKind<T> => ({
  type,
  prepare: async (actionContext) => (tx) => write(actionContext, tx),
})

/** Calls a verb of a domain; a refusal is told with its status, as if the API had been asked. */
export async function callDomain<R>(related: readonly ResourceLabels[], operation: () => Promise<R>): Promise<R> {
  try {
    return await operation()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const reason = error instanceof InvalidRequest ? error.faults.map(({ msg }) => msg).join('; ') : error.message
    throw new ActionFailed(reason, { related, details: { status_code: error.status } })
  }
}

import type { Action } from '@millrace/contracts/action.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { parseJson } from '../lib/json.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'
import { callWebhook } from './actions/call-webhook.ts'
import { cancelFlowRun } from './actions/cancel-flow-run.ts'
import { changeFlowRunState } from './actions/change-flow-run-state.ts'
import { deleteFlowRun } from './actions/delete-flow-run.ts'
import { doNothing } from './actions/do-nothing.ts'
import { pauseAutomationAction } from './actions/pause-automation.ts'
import { pauseDeploymentAction } from './actions/pause-deployment.ts'
import { pauseWorkPool } from './actions/pause-work-pool.ts'
import { pauseWorkQueue } from './actions/pause-work-queue.ts'
import { resumeAutomationAction } from './actions/resume-automation.ts'
import { resumeDeploymentAction } from './actions/resume-deployment.ts'
import { resumeFlowRun } from './actions/resume-flow-run.ts'
import { resumeWorkPool } from './actions/resume-work-pool.ts'
import { resumeWorkQueue } from './actions/resume-work-queue.ts'
import { runDeployment } from './actions/run-deployment.ts'
import { sendNotification } from './actions/send-notification.ts'
import { suspendFlowRun } from './actions/suspend-flow-run.ts'
import { keepChain } from './chain.ts'
import { ActionFailed, type ActionKind, type Deed, type Done } from './deed.ts'
import { completeBody } from './firing-body.ts'
import { actionEvents } from './firing-events.ts'
import { claimInvocation, type InvocationRow, lockInvocation, noteAttempt, readFiringBody, removeInvocation } from './invocations.ts'
import { triggerFacts } from './trigger-facts.ts'

/** Every kind of action. */
const kinds = {
  'do-nothing': doNothing,
  'run-deployment': runDeployment,
  'pause-deployment': pauseDeploymentAction,
  'resume-deployment': resumeDeploymentAction,
  'cancel-flow-run': cancelFlowRun,
  'delete-flow-run': deleteFlowRun,
  'change-flow-run-state': changeFlowRunState,
  'suspend-flow-run': suspendFlowRun,
  'resume-flow-run': resumeFlowRun,
  'pause-work-queue': pauseWorkQueue,
  'resume-work-queue': resumeWorkQueue,
  'pause-work-pool': pauseWorkPool,
  'resume-work-pool': resumeWorkPool,
  'pause-automation': pauseAutomationAction,
  'resume-automation': resumeAutomationAction,
  'call-webhook': callWebhook,
  'send-notification': sendNotification,
} as const satisfies { [T in Action['type']]: ActionKind<T> }

const kindOf = ({ type }: Action): ActionKind<Action['type']> => kinds[type] as ActionKind<Action['type']>

export const isOutbound = (action: Action): boolean => kindOf(action).outbound ?? false

export type Acted = 'executed' | 'failed' | 'gone'

/** An action that breaks in a way nobody foresaw is tried again so many times. */
const attemptsMax = 5

/**
 * Takes an action that a firing asked for, once: what it does, the events that tell of it and its leaving the list are one transaction. An action that
 * calls the outside cannot be: it is claimed first, and after an end in the middle it counts as failed, since nobody knows.
 */
export async function act(context: ServerContext, row: InvocationRow): Promise<Acted> {
  const { writeQueue } = context
  const outbound = toBoolean(row.outbound)
  if (outbound && !(await writeQueue.submit((tx) => claimInvocation(tx, row.id, context.clock.now())))) return 'gone'
  const deed = await deedOf(context, row)
  if (!deed) return 'gone'
  const { action } = deed
  try {
    const write = await kindOf(action).prepare(deed as never)
    return await writeQueue.submit((tx) => finish(deed, row, tx, write))
  } catch (error) {
    const failure = error instanceof ActionFailed ? error : await unforeseen(context, row, error, outbound)
    return writeQueue.submit((tx) =>
      finish(deed, row, tx, async () => ({ related: failure.related, details: failure.details, failure: failure.message })),
    )
  }
}

/** Undefined when another server has taken the last action of the firing. */
async function deedOf(context: ServerContext, row: InvocationRow): Promise<Deed | undefined> {
  const body = await readFiringBody(context.reads, row.firing_id)
  if (body === undefined) return undefined
  const facts = triggerFacts(await completeBody(context.reads, body), toBoolean(row.on_triggered))
  return { context, action: parseJson(row.action) as Action, facts, invocation: row.id, actionIndex: row.action_index }
}

async function finish(deed: Deed, row: InvocationRow, tx: Tx, write: (tx: Tx) => Promise<Done>): Promise<Acted> {
  if (!(await lockInvocation(tx, row))) return 'gone'
  const caused: EventRecord[] = []
  const { related, details, failure = null } = await write(observing(tx, caused))
  const { automation, triggered, reference, triggeredEventId, chain, missing } = deed.facts
  const acted = {
    automation,
    triggered,
    event: reference,
    triggeredEventId,
    chain,
    invocation: row.id,
    actionIndex: row.action_index,
    actionType: deed.action.type,
  }
  const { clock, newId } = deed.context
  const outcome = { related, details: missing === null ? details : { ...details, event_missing: missing }, failure }
  for (const told of actionEvents(acted, outcome, clock.now(), newId)) tx.emit(told)
  await keepChain(tx, chain, caused, clock.now())
  await removeInvocation(tx, row)
  return failure === null ? 'executed' : 'failed'
}

/** The transaction, with the events that an action announces in it noted down. */
const observing = (tx: Tx, seen: EventRecord[]): Tx => ({
  dialect: tx.dialect,
  get kysely() {
    return tx.kysely
  },
  all: (statement, values) => tx.all(statement, values),
  first: (statement, values) => tx.first(statement, values),
  run: (statement, values) => tx.run(statement, values),
  insert: (table, rows, options) => tx.insert(table, rows, options),
  update: (table, rows, options) => tx.update(table, rows, options),
  emit: (event) => {
    seen.push(event)
    tx.emit(event)
  },
  appendEvents: (events) => tx.appendEvents(events),
  notify: (topic, note) => tx.notify(topic, note),
})

/** Rethrows what may go better another time. */
async function unforeseen({ writeQueue, reads }: ServerContext, row: InvocationRow, error: unknown, outbound: boolean): Promise<ActionFailed> {
  const unavailable = error instanceof Error && 'status' in error && error.status === 503
  if ((unavailable || reads.dialect.isUnavailable(error)) && !outbound) throw error
  if (!outbound && row.attempts + 1 < attemptsMax) {
    await writeQueue.submit((tx) => noteAttempt(tx, row.id))
    throw error
  }
  return new ActionFailed(`The action broke off: ${error instanceof Error ? error.message : String(error)}`)
}

/** An action that was claimed by a server which ended before it could tell what came of it. */
export async function giveUp(context: ServerContext, row: InvocationRow): Promise<Acted> {
  const deed = await deedOf(context, row)
  if (!deed) return 'gone'
  const failure = 'The server ended while it was calling; whether the call arrived is not known'
  return context.writeQueue.submit((tx) => finish(deed, row, tx, async () => ({ related: [], details: {}, failure })))
}

import type { Action } from '@millrace/contracts/action.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { parseJson } from '../lib/json.ts'
import type { Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'
import { type ActionContext, ActionFailed, type ActionKind, type ActionResult } from './action-context.ts'
import { claimAction, countAttempt, dequeueAction, lockAction, type QueuedAction, readFiringBody } from './action-queue.ts'
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
import { saveChain } from './chain.ts'
import { expandBody } from './firing-body.ts'
import { actionEvents } from './firing-events.ts'
import { triggerFacts } from './trigger-facts.ts'

/** Every kind of action. */
const actionKinds = {
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

const kindOf = ({ type }: Action): ActionKind<Action['type']> => actionKinds[type] as ActionKind<Action['type']>

export const isOutbound = (action: Action): boolean => kindOf(action).outbound ?? false

export type ExecutionStatus = 'executed' | 'failed' | 'gone'

/** An action that breaks in a way nobody foresaw is tried again so many times. */
const attemptsMax = 5

/**
 * Takes an action that a firing asked for, once: what it does, the events that tell of it and its leaving the list are one transaction. An action that
 * calls the outside cannot be: it is claimed first, and after an end in the middle it counts as failed, since nobody knows.
 */
export async function executeAction(context: ServerContext, row: QueuedAction): Promise<ExecutionStatus> {
  const { writeQueue } = context
  const outbound = toBoolean(row.outbound)
  if (outbound && !(await writeQueue.submit((tx) => claimAction(tx, row.id, context.clock.now())))) return 'gone'
  const actionContext = await loadActionContext(context, row)
  if (!actionContext) return 'gone'
  const { action } = actionContext
  try {
    const write = await kindOf(action).prepare(actionContext as never)
    return await writeQueue.submit((tx) => finishAction(actionContext, row, tx, write))
  } catch (error) {
    const failure = error instanceof ActionFailed ? error : await retryOrFail(context, row, error, outbound)
    return writeQueue.submit((tx) =>
      finishAction(actionContext, row, tx, async () => ({ related: failure.related, details: failure.details, failure: failure.message })),
    )
  }
}

/** Undefined when another server has taken the last action of the firing. */
async function loadActionContext(context: ServerContext, row: QueuedAction): Promise<ActionContext | undefined> {
  const body = await readFiringBody(context.reads, row.firing_id)
  if (body === undefined) return undefined
  const facts = triggerFacts(await expandBody(context.reads, body), toBoolean(row.on_triggered))
  return { context, action: parseJson(row.action) as Action, facts, invocation: row.id, actionIndex: row.action_index }
}

async function finishAction(
  actionContext: ActionContext,
  row: QueuedAction,
  tx: Tx,
  write: (tx: Tx) => Promise<ActionResult>,
): Promise<ExecutionStatus> {
  if (!(await lockAction(tx, row))) return 'gone'
  const caused: EventRecord[] = []
  const { related, details, failure = null } = await write(recordEmitted(tx, caused))
  const { automation, triggered, reference, triggeredEventId, chain, missing } = actionContext.facts
  const acted = {
    automation,
    triggered,
    event: reference,
    triggeredEventId,
    chain,
    invocation: row.id,
    actionIndex: row.action_index,
    actionType: actionContext.action.type,
  }
  const { clock, newId } = actionContext.context
  const outcome = { related, details: missing === null ? details : { ...details, event_missing: missing }, failure }
  for (const told of actionEvents(acted, outcome, clock.now(), newId)) tx.emit(told)
  await saveChain(tx, chain, caused, clock.now())
  await dequeueAction(tx, row)
  return failure === null ? 'executed' : 'failed'
}

/** The transaction, with the events that an action announces in it noted down. */
const recordEmitted = (tx: Tx, emitted: EventRecord[]): Tx => ({
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
    emitted.push(event)
    tx.emit(event)
  },
  appendEvents: (events) => tx.appendEvents(events),
  notify: (topic, note) => tx.notify(topic, note),
})

/** Rethrows what may go better another time. */
async function retryOrFail({ writeQueue, reads }: ServerContext, row: QueuedAction, error: unknown, outbound: boolean): Promise<ActionFailed> {
  const unavailable = error instanceof Error && 'status' in error && error.status === 503
  if ((unavailable || reads.dialect.isUnavailable(error)) && !outbound) throw error
  if (!outbound && row.attempts + 1 < attemptsMax) {
    await writeQueue.submit((tx) => countAttempt(tx, row.id))
    throw error
  }
  return new ActionFailed(`The action broke off: ${error instanceof Error ? error.message : String(error)}`)
}

/** An action that was claimed by a server which ended before it could tell what came of it. */
export async function failLostAction(context: ServerContext, row: QueuedAction): Promise<ExecutionStatus> {
  const actionContext = await loadActionContext(context, row)
  if (!actionContext) return 'gone'
  const failure = 'The server ended while it was calling; whether the call arrived is not known'
  return context.writeQueue.submit((tx) => finishAction(actionContext, row, tx, async () => ({ related: [], details: {}, failure })))
}

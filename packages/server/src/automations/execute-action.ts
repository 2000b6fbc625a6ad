import type { Action } from '@millrace/contracts/action.ts'
import { automationActor } from '../lib/actor.ts'
import { parseJson } from '../lib/json.ts'
import type { Tx } from '../storage/database.ts'
import { type ActingContext, actAs, type ServerContext } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'
import { type ActionContext, ActionFailed, type ActionKind, type ActionResult, actionKind } from './action-context.ts'
import { claimAction, countAttempt, dequeueAction, lockAction, type QueuedAction, readFiringBody } from './action-queue.ts'
import { callWebhook } from './actions/call-webhook.ts'
import { cancelFlowRun, changeFlowRunState, deleteFlowRun, resumeFlowRun, suspendFlowRun } from './actions/flow-run-actions.ts'
import {
  pauseAutomationAction,
  pauseDeploymentAction,
  pauseWorkPool,
  pauseWorkQueue,
  resumeAutomationAction,
  resumeDeploymentAction,
  resumeWorkPool,
  resumeWorkQueue,
} from './actions/pause-and-resume.ts'
import { runDeployment } from './actions/run-deployment.ts'
import { sendNotification } from './actions/send-notification.ts'
import { saveChain } from './chain.ts'
import { expandBody } from './firing-body.ts'
import { actionEvents } from './firing-events.ts'
import { triggerFacts } from './trigger-facts.ts'

const actionKinds = {
  // For automations that only emit their events.
  'do-nothing': actionKind('do-nothing', async () => ({ related: [], details: {} })),
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

export type ExecutionStatus = 'executed' | 'failed' | 'gone'

/** Attempts after unexpected errors. */
const attemptsMax = 5

/**
 * Executes a queued action once: its writes, its events and the removal from the queue are one transaction. An outbound action cannot be part of a
 * transaction, so it is claimed first. If the server stops during the call, the action counts as failed.
 */
export async function executeAction(context: ActingContext, row: QueuedAction): Promise<ExecutionStatus> {
  const { commands } = context
  const outbound = toBoolean(row.outbound)
  if (outbound && !(await commands.submit((tx) => claimAction(tx, row.id, context.clock.now())))) return 'gone'
  const actionContext = await loadActionContext(context, row)
  if (!actionContext) return 'gone'
  const { action } = actionContext
  const byAutomation = actionContext.context.commands
  try {
    const write = await kindOf(action).prepare(actionContext as never)
    return await byAutomation.submit((tx) => finishAction(actionContext, row, tx, write))
  } catch (error) {
    const failure = error instanceof ActionFailed ? error : await retryOrFail(context, row, error, outbound)
    return byAutomation.submit((tx) =>
      finishAction(actionContext, row, tx, async () => ({ related: failure.related, details: failure.details, failure: failure.message })),
    )
  }
}

/** Undefined when another server has executed the last action of the firing. */
async function loadActionContext(context: ServerContext, row: QueuedAction): Promise<ActionContext | undefined> {
  const body = await readFiringBody(context.reads, row.firing_id)
  if (body === undefined) return undefined
  const facts = triggerFacts(await expandBody(context.reads, body), toBoolean(row.on_triggered))
  return {
    context: actAs(context, automationActor(facts.automation)),
    action: parseJson(row.action) as Action,
    facts,
    invocation: row.id,
    actionIndex: row.action_index,
  }
}

async function finishAction(
  actionContext: ActionContext,
  row: QueuedAction,
  tx: Tx,
  write: (tx: Tx) => Promise<ActionResult>,
): Promise<ExecutionStatus> {
  if (!(await lockAction(tx, row))) return 'gone'
  const emitted = tx.events.length
  const { related, details, failure = null } = await write(tx)
  const caused = tx.events.slice(emitted)
  const { automation, triggered, reference, triggeredEventId, chain, missing } = actionContext.facts
  const execution = {
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
  for (const event of actionEvents(execution, outcome, clock.now(), newId)) tx.emit(event)
  await saveChain(tx, chain, caused, clock.now())
  await dequeueAction(tx, row)
  return failure === null ? 'executed' : 'failed'
}

/** Rethrows an error that a later attempt may not meet; otherwise returns the failure of the action. */
async function retryOrFail({ commands, reads }: ActingContext, row: QueuedAction, error: unknown, outbound: boolean): Promise<ActionFailed> {
  const unavailable = error instanceof Error && 'status' in error && error.status === 503
  if ((unavailable || reads.dialect.isUnavailable(error)) && !outbound) throw error
  if (!outbound && row.attempts + 1 < attemptsMax) {
    await commands.submit((tx) => countAttempt(tx, row.id))
    throw error
  }
  return new ActionFailed(`Action failed: ${error instanceof Error ? error.message : String(error)}`)
}

/** Fails an action whose server stopped after claiming it. */
export async function failLostAction(context: ServerContext, row: QueuedAction): Promise<ExecutionStatus> {
  const actionContext = await loadActionContext(context, row)
  if (!actionContext) return 'gone'
  const failure = 'Server stopped during the call. It is unknown whether the call was received.'
  return actionContext.context.commands.submit((tx) => finishAction(actionContext, row, tx, async () => ({ related: [], details: {}, failure })))
}

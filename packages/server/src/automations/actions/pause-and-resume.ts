import { setPaused } from '../../domains/deployments/update-deployment.ts'
import { updatePool } from '../../domains/work-pools/change-pool.ts'
import { readPoolName } from '../../domains/work-pools/store.ts'
import { updateQueue } from '../../domains/work-queues/change-queue.ts'
import { readQueue } from '../../domains/work-queues/store.ts'
import { notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type ActionContext, ActionFailed, type ActionResult, actionKind, callDomain } from '../action-context.ts'
import { resolveTargetId, targetResource } from '../action-targets.ts'
import { setAutomationEnabled } from '../change-automation.ts'
import { readAutomation } from '../store.ts'

export const pauseDeploymentAction = actionKind('pause-deployment', (actionContext, tx) => setDeploymentPaused(actionContext, tx, true))
export const resumeDeploymentAction = actionKind('resume-deployment', (actionContext, tx) => setDeploymentPaused(actionContext, tx, false))
export const pauseWorkPool = actionKind('pause-work-pool', (actionContext, tx) => setPoolPaused(actionContext, tx, true))
export const resumeWorkPool = actionKind('resume-work-pool', (actionContext, tx) => setPoolPaused(actionContext, tx, false))
export const pauseWorkQueue = actionKind('pause-work-queue', (actionContext, tx) => setQueuePaused(actionContext, tx, true))
export const resumeWorkQueue = actionKind('resume-work-queue', (actionContext, tx) => setQueuePaused(actionContext, tx, false))
export const pauseAutomationAction = actionKind('pause-automation', (actionContext, tx) => setAutomationPaused(actionContext, tx, true))
export const resumeAutomationAction = actionKind('resume-automation', (actionContext, tx) => setAutomationPaused(actionContext, tx, false))

type ActionOf<T extends string> = Extract<ActionContext['action'], { type: T }>

async function setDeploymentPaused(
  actionContext: ActionContext<ActionOf<'pause-deployment' | 'resume-deployment'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.deployment', actionContext.action.deployment_id)
  const related = [targetResource('prefect.deployment', id)]
  await callDomain(related, () => setPaused(actionContext.context, id, paused)(tx))
  return { related, details: { status_code: 200 } }
}

async function setPoolPaused(
  actionContext: ActionContext<ActionOf<'pause-work-pool' | 'resume-work-pool'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.work-pool', actionContext.action.work_pool_id)
  const name = await readPoolName(tx, id)
  if (name === undefined) throw new ActionFailed(`Work pool ${id} not found`)
  const related = [targetResource('prefect.work-pool', id, { 'prefect.resource.name': name })]
  await callDomain(related, () => updatePool(actionContext.context, name, { is_paused: paused })(tx))
  return { related, details: { status_code: 204 } }
}

async function setQueuePaused(
  actionContext: ActionContext<ActionOf<'pause-work-queue' | 'resume-work-queue'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.work-queue', actionContext.action.work_queue_id)
  const related = [targetResource('prefect.work-queue', id)]
  await callDomain(related, async () => {
    const queue = await readQueue(tx, id)
    if (!queue) throw notFound('Work queue')
    await updateQueue(actionContext.context, tx, queue, { is_paused: paused })
  })
  return { related, details: { status_code: 204 } }
}

async function setAutomationPaused(
  actionContext: ActionContext<ActionOf<'pause-automation' | 'resume-automation'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.automation', actionContext.action.automation_id)
  const related = [targetResource('prefect.automation', id)]
  const automation = await readAutomation(tx, id)
  // No write without a change: two automations that react to each other's changes would loop.
  if (!automation || toBoolean(automation.enabled) === paused)
    await callDomain(related, () => setAutomationEnabled(actionContext.context, id, !paused)(tx))
  return { related, details: { status_code: 204 } }
}

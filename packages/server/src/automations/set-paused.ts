import { setPaused } from '../domains/deployments/update-deployment.ts'
import { updatePool } from '../domains/work-pools/change-pool.ts'
import { updateQueue } from '../domains/work-queues/change-queue.ts'
import { readQueue } from '../domains/work-queues/store.ts'
import { notFound } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import { toBoolean } from '../storage/tables.ts'
import { type ActionContext, ActionFailed, type ActionResult, callDomain } from './action-context.ts'
import { resolveTargetId, targetResource } from './action-targets.ts'
import { setAutomationEnabled } from './change-automation.ts'
import { readPoolName } from './pool-name.ts'
import { readAutomation } from './store.ts'

/** Pausing and resuming are the same deed, to and fro. */

type ActionOf<T extends string> = Extract<ActionContext['action'], { type: T }>

export async function setDeploymentPaused(
  actionContext: ActionContext<ActionOf<'pause-deployment' | 'resume-deployment'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.deployment', actionContext.action.deployment_id)
  const related = [targetResource('prefect.deployment', id)]
  await callDomain(related, () => setPaused(actionContext.context, id, paused)(tx))
  return { related, details: { status_code: 200 } }
}

export async function setPoolPaused(
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

export async function setQueuePaused(
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

export async function setAutomationPaused(
  actionContext: ActionContext<ActionOf<'pause-automation' | 'resume-automation'>>,
  tx: Tx,
  paused: boolean,
): Promise<ActionResult> {
  const id = resolveTargetId(actionContext, 'prefect.automation', actionContext.action.automation_id)
  const related = [targetResource('prefect.automation', id)]
  const known = await readAutomation(tx, id)
  // One that is so already is left alone: two automations that answer such changes would never come to an end.
  if (!known || toBoolean(known.enabled) === paused) await callDomain(related, () => setAutomationEnabled(actionContext.context, id, !paused)(tx))
  return { related, details: { status_code: 204 } }
}

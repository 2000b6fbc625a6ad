import { setPaused } from '../domains/deployments/pause-deployment.ts'
import { updatePool } from '../domains/work-pools/update-pool.ts'
import { readQueue } from '../domains/work-queues/store.ts'
import { updateQueue } from '../domains/work-queues/update-queue.ts'
import { notFound } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import { toBoolean } from '../storage/tables.ts'
import { switchAutomation } from './change-automation.ts'
import { ActionFailed, attempt, type Deed, type Done } from './deed.ts'
import { poolNameOf } from './pool-name.ts'
import { readAutomation } from './store.ts'
import { target, targetId } from './targets.ts'

/** Pausing and resuming are the same deed, to and fro. */

type Of<T extends string> = Extract<Deed['action'], { type: T }>

export async function pauseDeployment(deed: Deed<Of<'pause-deployment' | 'resume-deployment'>>, tx: Tx, paused: boolean): Promise<Done> {
  const id = targetId(deed, 'prefect.deployment', deed.action.deployment_id)
  const related = [target('prefect.deployment', id)]
  await attempt(related, () => setPaused(deed.context, id, paused)(tx))
  return { related, details: { status_code: 200 } }
}

export async function pausePool(deed: Deed<Of<'pause-work-pool' | 'resume-work-pool'>>, tx: Tx, paused: boolean): Promise<Done> {
  const id = targetId(deed, 'prefect.work-pool', deed.action.work_pool_id)
  const name = await poolNameOf(tx, id)
  if (name === undefined) throw new ActionFailed(`Work pool ${id} not found`)
  const related = [target('prefect.work-pool', id, { 'prefect.resource.name': name })]
  await attempt(related, () => updatePool(deed.context, name, { is_paused: paused })(tx))
  return { related, details: { status_code: 204 } }
}

export async function pauseQueue(deed: Deed<Of<'pause-work-queue' | 'resume-work-queue'>>, tx: Tx, paused: boolean): Promise<Done> {
  const id = targetId(deed, 'prefect.work-queue', deed.action.work_queue_id)
  const related = [target('prefect.work-queue', id)]
  await attempt(related, async () => {
    const queue = await readQueue(tx, id)
    if (!queue) throw notFound('Work queue')
    await updateQueue(deed.context, tx, queue, { is_paused: paused })
  })
  return { related, details: { status_code: 204 } }
}

export async function pauseAutomation(deed: Deed<Of<'pause-automation' | 'resume-automation'>>, tx: Tx, paused: boolean): Promise<Done> {
  const id = targetId(deed, 'prefect.automation', deed.action.automation_id)
  const related = [target('prefect.automation', id)]
  const known = await readAutomation(tx, id)
  // One that is so already is left alone: two automations that answer such changes would never come to an end.
  if (!known || toBoolean(known.enabled) === paused) await attempt(related, () => switchAutomation(deed.context, id, !paused)(tx))
  return { related, details: { status_code: 204 } }
}

import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'

const resetPlan = statement(
  (dialect) => `update deployment_schedule set planned_until = $2, due = case when active then cast($3 as bigint) end,
      planned_at = case when active then cast($4 as bigint) end
    where ${dialect.inList('deployment_id', '$1', 'uuid')}`,
)

const deploymentsOfRuns = statement(
  (dialect) => `select deployment.id from deployment
    where id in (select deployment_id from flow_run where ${dialect.inList('id', '$1', 'uuid')} and auto_scheduled and state_type = 'SCHEDULED')
      and not paused order by deployment.id ${dialect.forUpdate}`,
)

/** The plan of a new schedule. It starts now, so that times before the scheduler's first pass are not lost. */
export const initialPlan = (now: Micros, isActive: boolean): { planned_until: Micros; due: Micros | null; planned_at: Micros | null } => ({
  planned_until: now,
  due: isActive ? now : null,
  planned_at: isActive ? now : null,
})

/** Replans every schedule of the deployments from now on; inactive deployments are not planned. */
export async function replanDeployments(tx: Tx, deploymentIds: readonly string[], now: Micros, isActive: boolean): Promise<void> {
  const { planned_until, due, planned_at } = initialPlan(now, isActive)
  const changed = await tx.run(resetPlan, [tx.dialect.list(deploymentIds), planned_until, due, planned_at])
  if (changed > 0 && isActive) tx.notify(schedulesTopic)
}

/** Replans before single planned runs are deleted: their schedules still apply, so the scheduler creates them again. */
export async function replanRemovedRuns(tx: Tx, runIds: readonly string[], now: Micros): Promise<void> {
  const deployments = await tx.all<{ id: string }>(deploymentsOfRuns, [tx.dialect.list(runIds)])
  if (deployments.length > 0)
    await replanDeployments(
      tx,
      deployments.map(({ id }) => id),
      now,
      true,
    )
}

/** The topic that wakes the scheduler. */
export const schedulesTopic = 'schedules'

import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'

/** Runs that wait for a slot have been handed out once: they are nobody's plan any more. */
const notStarted = `state_type = 'SCHEDULED' and state_name <> 'AwaitingConcurrencySlot' and run_count = 0`
const deleteUnstarted = statement((dialect) => `delete from flow_run where ${dialect.inList('deployment_id', '$1', 'uuid')} and ${notStarted}`)
const deletePlanned = statement(
  (dialect) => `delete from flow_run where ${dialect.inList('deployment_id', '$1', 'uuid')} and ${notStarted} and auto_scheduled`,
)
const deletePlannedAfter = statement(
  (dialect) =>
    `delete from flow_run where ${dialect.inList('deployment_id', '$1', 'uuid')} and ${notStarted} and auto_scheduled and next_scheduled_start_time > $2`,
)
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

/** Removes runs that have not begun: those made by hand, too. */
export const deleteUnstartedRuns = (tx: Tx, deploymentIds: readonly string[]): Promise<number> =>
  tx.run(deleteUnstarted, [tx.dialect.list(deploymentIds)])

/** Removes what the scheduler made: all of it, or what lies after a time. */
export const deletePlannedRuns = (tx: Tx, deploymentId: string, after?: Micros): Promise<number> =>
  after === undefined
    ? tx.run(deletePlanned, [tx.dialect.list([deploymentId])])
    : tx.run(deletePlannedAfter, [tx.dialect.list([deploymentId]), after])

/** Whether and from when a schedule is planned: an instant that passes before the scheduler looks at it is not lost. */
export const initialPlan = (now: Micros, live: boolean): { planned_until: Micros; due: Micros | null; planned_at: Micros | null } => ({
  planned_until: now,
  due: live ? now : null,
  planned_at: live ? now : null,
})

/** Has every schedule of the deployments planned anew from now on, or not at all. */
export async function replanDeployments(tx: Tx, deploymentIds: readonly string[], now: Micros, live: boolean): Promise<void> {
  const { planned_until, due, planned_at } = initialPlan(now, live)
  const changed = await tx.run(resetPlan, [tx.dialect.list(deploymentIds), planned_until, due, planned_at])
  if (changed > 0 && live) tx.notify(schedulesTopic)
}

/** Runs that the scheduler made are about to be removed one by one: what their schedules say still holds, so that they come back. */
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

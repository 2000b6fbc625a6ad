import { deleteUnstartedRuns } from '../../runs/delete-runs.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { removeDeploymentLimits } from './deployment-limit.ts'
import { deploymentEvent } from './events.ts'
import { deleteDeploymentRows, lockDeployments } from './store.ts'

/** Deletes deployments with their schedules, own limits and runs that have not started. Returns the ids of the deleted ones. */
export const removeDeployments =
  ({ clock, newId }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<string[]> => {
    const now = clock.now()
    const rows = await lockDeployments(tx, ids)
    if (rows.length === 0) return []
    const deleted = rows.map(({ id }) => id)
    await deleteUnstartedRuns(tx, deleted)
    await removeDeploymentLimits(tx, deleted)
    await deleteDeploymentRows(tx, deleted)
    for (const row of rows) tx.emit(deploymentEvent('deleted', row, newId(), now))
    return deleted
  }

const ofFlows = statement((dialect) => `select id from deployment where ${dialect.inList('flow_id', '$1', 'uuid')}`)

/** Deletes the deployments of flows, with their own limits and without events, before the flows are deleted. */
export async function removeDeploymentsOfFlows(tx: Tx, flowIds: readonly string[]): Promise<void> {
  const deployments = await tx.all<{ id: string }>(ofFlows, [tx.dialect.list(flowIds)])
  const ids = deployments.map(({ id }) => id)
  if (ids.length === 0) return
  await removeDeploymentLimits(tx, ids)
  await deleteDeploymentRows(tx, ids)
}

import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { removeDeploymentLimits } from './deployment-limit.ts'
import { deploymentEvent } from './events.ts'
import { deleteUnstartedRuns } from './replan.ts'
import { deleteDeploymentRows, lockDeployments } from './store.ts'

/** Deletes what is there of the ids, with their schedules, their own limits and all runs that have not begun; the ids that were. */
export const removeDeployments =
  ({ clock, newId }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<string[]> => {
    const now = clock.now()
    const rows = await lockDeployments(tx, ids)
    if (rows.length === 0) return []
    const found = rows.map(({ id }) => id)
    await deleteUnstartedRuns(tx, found)
    await removeDeploymentLimits(tx, found)
    await deleteDeploymentRows(tx, found)
    for (const row of rows) tx.emit(deploymentEvent('deleted', row, newId(), now))
    return found
  }

const ofFlows = statement((dialect) => `select id from deployment where ${dialect.inList('flow_id', '$1', 'uuid')}`)

/** Before flows are deleted: their deployments go with them, without a word of their own, and so must the limits that these have to themselves. */
export async function removeDeploymentsOfFlows(tx: Tx, flowIds: readonly string[]): Promise<void> {
  const deployments = await tx.all<{ id: string }>(ofFlows, [tx.dialect.list(flowIds)])
  const ids = deployments.map(({ id }) => id)
  if (ids.length === 0) return
  await removeDeploymentLimits(tx, ids)
  await deleteDeploymentRows(tx, ids)
}

import type { Tx } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { deploymentEvent } from './events.ts'
import { removeOwnLimits } from './own-limit.ts'
import { dropRuns } from './planning.ts'
import { deleteDeploymentRows, lockDeployments } from './store.ts'

/** Deletes what is there of the ids, with their schedules, their own limits and all runs that have not begun; the ids that were. */
export const removeDeployments =
  ({ clock, newId }: Parts, ids: readonly string[]) =>
  async (tx: Tx): Promise<string[]> => {
    const now = clock.now()
    const rows = await lockDeployments(tx, ids)
    if (rows.length === 0) return []
    const found = rows.map(({ id }) => id)
    await dropRuns(tx, found)
    await removeOwnLimits(tx, found)
    await deleteDeploymentRows(tx, found)
    for (const row of rows) tx.announce(deploymentEvent('deleted', row, newId(), now))
    return found
  }

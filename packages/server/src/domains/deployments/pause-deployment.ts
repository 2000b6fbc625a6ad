import { notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { deletePlannedRuns, replanDeployments } from './replan.ts'
import { lockDeployment, updateDeploymentRow } from './store.ts'

/** A paused deployment has no runs planned; runs made by hand stay. A resumed one is planned again from now on. */
export const setPaused =
  ({ clock }: ServerContext, id: string, paused: boolean) =>
  async (tx: Tx): Promise<void> => {
    const now = clock.now()
    const deployment = await lockDeployment(tx, id)
    if (!deployment) throw notFound('Deployment')
    if (toBoolean(deployment.paused) !== paused) await updateDeploymentRow(tx, { id, paused, updated: now })
    if (paused) await deletePlannedRuns(tx, id)
    await replanDeployments(tx, [id], now, !paused)
  }

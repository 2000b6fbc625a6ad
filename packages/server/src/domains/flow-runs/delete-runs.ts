import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { replanRemovedRuns } from '../deployments/replan.ts'
import { deleteFlowRuns } from './store.ts'

const releaseSlots = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('holder_id', '$1', 'text')}`)

const removeVerdicts = statement((dialect) => `delete from verdict where ${dialect.inList('run_id', '$1', 'uuid')}`)
const removeLogs = statement((dialect) => `delete from log where ${dialect.inList('flow_run_id', '$1', 'uuid')}`)

/** Deletes runs with all that is theirs, their logs too, and gives back the slots they hold; how many there were. */
export const removeFlowRuns =
  ({ clock }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    if ((await tx.run(releaseSlots, [tx.dialect.list(ids)])) > 0) tx.notify('slots')
    await replanRemovedRuns(tx, ids, clock.now())
    await tx.run(removeLogs, [tx.dialect.list(ids)])
    await tx.run(removeVerdicts, [tx.dialect.list(ids)])
    return deleteFlowRuns(tx, ids)
  }

import { statement, type Tx } from '../../storage/database.ts'
import { deleteFlowRuns } from './store.ts'

const releaseSlots = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('holder_id', '$1', 'text')}`)

/** Deletes runs with all that is theirs, and gives back the slots they hold; how many there were. */
export const removeFlowRuns =
  (ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    if ((await tx.run(releaseSlots, [tx.dialect.list(ids)])) > 0) tx.wake('slots')
    return deleteFlowRuns(tx, ids)
  }

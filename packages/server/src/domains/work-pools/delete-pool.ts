import { forbidden, notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { emitQueuesDeleted } from '../work-queues/delete-queue.ts'
import { poolEvent } from './events.ts'
import { isReservedPoolName } from './pool-names.ts'
import { lockPoolByName, deletePoolRow as removePool } from './store.ts'

/** Deletes a pool with its queues and workers. Runs and deployments stay, without a queue. */
export const deletePool = (context: ServerContext, name: string) => {
  if (isReservedPoolName(name)) throw forbidden(`The work pool "${name}" cannot be deleted: the server keeps it for itself`)
  return async (tx: Tx): Promise<void> => {
    const pool = await lockPoolByName(tx, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    await emitQueuesDeleted(context, tx, pool.id)
    await removePool(tx, pool.id)
    tx.emit(poolEvent('deleted', pool, context.newId(), context.clock.now()))
  }
}

import { conflict } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { lockPool } from '../work-pools/store.ts'
import { queueEvent } from './events.ts'
import { type QueueWithPool, readQueuesOfPool, deleteQueueRow as removeQueue } from './store.ts'

/** Deletes a queue. Its runs and deployments stay, without a queue; its pool's default queue stays too. */
export async function deleteQueue({ clock, newId }: ServerContext, tx: Tx, queue: QueueWithPool): Promise<void> {
  const pool = await lockPool(tx, queue.work_pool_id)
  if (pool?.default_queue_id === queue.id)
    throw conflict(`"${queue.name}" is the default queue of work pool "${queue.work_pool_name}" and goes with it only`)
  await removeQueue(tx, queue.id)
  tx.emit(queueEvent('deleted', queue, newId(), clock.now()))
}

/** Says of every queue of a pool that it goes with it. */
export async function emitQueuesDeleted({ clock, newId }: ServerContext, tx: Tx, poolId: string): Promise<void> {
  for (const queue of await readQueuesOfPool(tx, poolId)) tx.emit(queueEvent('deleted', queue, newId(), clock.now()))
}

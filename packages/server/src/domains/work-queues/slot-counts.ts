import type { Db } from '../../storage/database.ts'
import { countFilteredSlots, parseQueueFilter } from './filtered-queue.ts'
import { countQueueSlots } from './slot-usage.ts'
import type { QueueRow } from './store.ts'

/** Slots in use of the queues that have a limit, each as it counts them itself. */
export async function countUsedSlots(db: Db, queues: readonly QueueRow[]): Promise<ReadonlyMap<string, number>> {
  const limited = queues.filter(({ concurrency_limit }) => concurrency_limit !== null)
  const counts = new Map(
    await countQueueSlots(
      db,
      limited.filter(({ filter }) => filter === null).map(({ id }) => id),
    ),
  )
  for (const { id, filter } of limited) if (filter !== null) counts.set(id, await countFilteredSlots(db, parseQueueFilter(filter)))
  return counts
}

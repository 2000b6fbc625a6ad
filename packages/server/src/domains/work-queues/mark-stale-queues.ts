import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { queueStatusEvent } from './events.ts'
import { readQueues } from './store.ts'

const staleQueues = statement(
  (dialect) => `select id from work_queue where status = 'READY' and last_polled < $1 order by id limit $2 ${dialect.forUpdate}`,
)

/** Queues that were ready and that nobody has asked since. Returns how many were found, `max` at most. */
export async function markStaleQueues({ clock, newId }: ServerContext, tx: Tx, silentSince: Micros, max: number): Promise<number> {
  const found = await tx.all<{ id: string }>(staleQueues, [silentSince, max])
  if (found.length === 0) return 0
  const now = clock.now()
  await tx.update(
    'work_queue',
    found.map(({ id }) => ({ id, status: 'NOT_READY', updated: now })),
  )
  for (const queue of await readQueues(
    tx,
    found.map(({ id }) => id),
  ))
    tx.emit(queueStatusEvent(queue, newId(), now))
  return found.length
}

import type { WorkPoolStatus } from '@millrace/contracts/work-pool.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { poolStatusEvent } from './events.ts'
import { type PoolRow, updatePoolRow } from './store.ts'

/** Gives a pool a status and says so. The pool remembers the event, so that the next one can name it. */
export async function setPoolStatus({ clock, newId }: ServerContext, tx: Tx, before: PoolRow, status: WorkPoolStatus): Promise<void> {
  const now = clock.now()
  const id = newId()
  await updatePoolRow(tx, { id: before.id, updated: now, status, last_status_event_id: id, last_transitioned_status_at: now })
  tx.emit(poolStatusEvent({ ...before, status }, before, id, now))
}

import type { QueueFilter } from '@millrace/contracts/work-queue.ts'
import { conflict } from '../../errors.ts'
import { nullableJsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { queueEvent } from './events.ts'
import { lowestFreePriority, shiftPriorities } from './priorities.ts'
import { insertQueue, type QueueWithPool, readPriorities, updatePriorities } from './store.ts'

export interface QueueDraft {
  readonly name: string
  readonly description?: string | null
  readonly is_paused?: boolean
  readonly concurrency_limit?: number | null
  readonly priority?: number | null
  readonly filter?: QueueFilter | null
}

/** Makes a queue in a pool whose row is locked. Without a priority it takes the lowest that is free; with one, others make room. */
export async function createQueue(
  { clock, newId }: ServerContext,
  tx: Tx,
  pool: { id: string; name: string; type: string },
  draft: QueueDraft,
): Promise<QueueWithPool> {
  const others = await readPriorities(tx, pool.id)
  if (others.some(({ name }) => name === draft.name)) throw conflict(`A work queue named "${draft.name}" already exists in work pool "${pool.name}"`)
  const now = clock.now()
  const row = {
    id: newId(),
    created: now,
    updated: now,
    work_pool_id: pool.id,
    name: draft.name,
    description: draft.description ?? '',
    is_paused: draft.is_paused ?? false,
    concurrency_limit: draft.concurrency_limit ?? null,
    priority: draft.priority ?? lowestFreePriority(others),
    filter: nullableJsonText(draft.filter),
    last_polled: null,
    // A queue that is made paused says so only once it is paused again: clients know it like that.
    status: 'NOT_READY',
  }
  await insertQueue(tx, row)
  await updatePriorities(tx, shiftPriorities(others, row), now)
  const made = { ...row, work_pool_name: pool.name, work_pool_type: pool.type }
  tx.emit(queueEvent('created', made, newId(), now))
  return made
}

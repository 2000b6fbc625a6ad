import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { ensureAgentPool } from '../work-pools/create-pool.ts'
import { createQueue, type QueueDraft } from './create-queue.ts'
import { type QueueWithPool, readQueue } from './store.ts'

/** Makes a queue that belongs to no pool. When that makes the pool of those queues, its default queue counts as made just now. */
export async function createAgentPoolQueue(context: ServerContext, tx: Tx, draft: QueueDraft): Promise<QueueWithPool> {
  const { pool, made } = await ensureAgentPool(context, tx)
  const first = made && draft.name === 'default' ? await readQueue(tx, pool.default_queue_id as string) : undefined
  return first ?? createQueue(context, tx, pool, draft)
}

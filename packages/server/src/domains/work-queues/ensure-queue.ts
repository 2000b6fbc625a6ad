import { PathName } from '@millrace/contracts/primitives.ts'
import { Check } from 'typebox/value'
import { invalid, notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { ensureAgentPool } from '../work-pools/create-pool.ts'
import { lockPoolByName, type PoolRow } from '../work-pools/store.ts'
import { createQueue, type QueueDraft } from './create-queue.ts'
import { readQueue, readQueueByName } from './store.ts'

export interface EnsuredQueue {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly pool_name: string
}

/**
 * The queue that a deployment names, made when it is not there yet: a queue of a pool comes last in it, a queue without a pool
 * first in the pool of those. A pool without a queue's name stands for its default queue. A pool itself is never made.
 */
export async function ensureQueue(
  context: ServerContext,
  tx: Tx,
  named: { pool: string; queue: string | null } | { pool: null; queue: string },
): Promise<EnsuredQueue> {
  if (named.pool === null) return ensureAgentPoolQueue(tx, context, named.queue)
  const pool = await lockPoolByName(tx, named.pool)
  if (!pool) throw notFound(`Work pool "${named.pool}"`)
  return named.queue === null ? defaultQueue(tx, pool) : ensureInPool(context, tx, pool, { name: named.queue })
}

/** The same for queues that belong to no pool. */
export async function ensureAgentPoolQueue(tx: Tx, context: ServerContext, queueName: string): Promise<EnsuredQueue> {
  const { pool } = await ensureAgentPool(context, tx)
  return ensureInPool(context, tx, pool, { name: queueName, priority: 1 })
}

async function ensureInPool(context: ServerContext, tx: Tx, pool: PoolRow, draft: QueueDraft): Promise<EnsuredQueue> {
  const queue = (await readQueueByName(tx, pool.name, draft.name)) ?? (await createQueue(context, tx, pool, validateName(draft)))
  return { id: queue.id, name: queue.name, pool_id: pool.id, pool_name: pool.name }
}

/** Who names a queue that is there already need not be told; a new one has to be reachable under its name. */
function validateName(draft: QueueDraft): QueueDraft {
  if (Check(PathName, draft.name)) return draft
  throw invalid(['body', 'work_queue_name'], `A work queue cannot be named "${draft.name}": no "/", "%", "&", ">" or "<" may be in it`, draft.name)
}

async function defaultQueue(tx: Tx, pool: PoolRow): Promise<EnsuredQueue> {
  const queue = await readQueue(tx, pool.default_queue_id as string)
  if (!queue) throw notFound(`The default queue of work pool "${pool.name}"`)
  return { id: queue.id, name: queue.name, pool_id: pool.id, pool_name: pool.name }
}

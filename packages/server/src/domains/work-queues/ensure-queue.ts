import { NewPathName } from '@millrace/contracts/primitives.ts'
import { Check } from 'typebox/value'
import { invalid, notFound } from '../../errors.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { ensureAgentPool } from '../work-pools/change-pool.ts'
import { lockPoolByName, type PoolRow } from '../work-pools/store.ts'
import { createQueue, type QueueDraft } from './change-queue.ts'
import { type QueueWithPool, readQueue, readQueueByName } from './store.ts'

// Narrow selects: the creation of a flow run needs no template of the pool.
const poolByName = statement('select id, default_queue_id from work_pool where name = $1')
const queueByName = statement('select id, name from work_queue where work_pool_id = $1 and name = $2')
const queueById = statement('select id, name from work_queue where id = $1')

/** Finds a queue by the names of its pool and queue. Without a queue name it is the pool's default queue. */
export async function findQueue(db: Db, poolName: string, queueName: string | null | undefined): Promise<{ id: string; name: string }> {
  const pool = await db.first<{ id: string; default_queue_id: string }>(poolByName, [poolName])
  if (!pool) throw notFound(`Work pool "${poolName}"`)
  const queue = await (queueName
    ? db.first<{ id: string; name: string }>(queueByName, [pool.id, queueName])
    : db.first<{ id: string; name: string }>(queueById, [pool.default_queue_id]))
  if (!queue) throw notFound(`Work queue "${queueName}" of work pool "${poolName}"`)
  return queue
}

export interface EnsuredQueue {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly pool_name: string
}

/**
 * Finds or creates the queue that a deployment names. A new queue of a pool gets the lowest priority, a new queue without a pool the
 * highest of the agent pool. A pool without a queue name means its default queue. Pools are not created.
 */
export async function ensureQueue(
  context: ServerContext,
  tx: Tx,
  named: { pool: string; queue: string | null } | { pool: null; queue: string },
): Promise<EnsuredQueue> {
  if (named.pool === null) {
    const { pool } = await ensureAgentPool(context, tx)
    return ensureInPool(context, tx, pool, { name: named.queue, priority: 1 })
  }
  const pool = await lockPoolByName(tx, named.pool)
  if (!pool) throw notFound(`Work pool "${named.pool}"`)
  return named.queue === null ? defaultQueue(tx, pool) : ensureInPool(context, tx, pool, { name: named.queue })
}

async function ensureInPool(context: ServerContext, tx: Tx, pool: PoolRow, draft: QueueDraft): Promise<EnsuredQueue> {
  const queue = (await readQueueByName(tx, pool.name, draft.name)) ?? (await createQueue(context, tx, pool, validateName(draft)))
  return { id: queue.id, name: queue.name, pool_id: pool.id, pool_name: pool.name }
}

/** Only new names are validated: an existing queue stays usable under any name. */
function validateName(draft: QueueDraft): QueueDraft {
  if (Check(NewPathName, draft.name)) return draft
  throw invalid(['body', 'work_queue_name'], `Invalid work queue name "${draft.name}": it contains "/", "%", "&", ">" or "<".`, draft.name)
}

async function defaultQueue(tx: Tx, pool: PoolRow): Promise<EnsuredQueue> {
  const queue = await readQueue(tx, pool.default_queue_id as string)
  if (!queue) throw notFound(`The default queue of work pool "${pool.name}"`)
  return { id: queue.id, name: queue.name, pool_id: pool.id, pool_name: pool.name }
}

/** Creates a queue without a pool. Without a priority it shares 1 with others. If that creates the agent pool, a queue named "default" is the pool's new default queue. */
export async function createAgentPoolQueue(context: ServerContext, tx: Tx, draft: QueueDraft): Promise<QueueWithPool> {
  const { pool, isNew } = await ensureAgentPool(context, tx)
  const created = isNew && draft.name === 'default' ? await readQueue(tx, pool.default_queue_id as string) : undefined
  if (created) return created
  return draft.priority === undefined
    ? createQueue(context, tx, pool, { ...draft, priority: 1 }, { movesOthers: false })
    : createQueue(context, tx, pool, draft)
}

import { notFound, unknownReference } from '../../errors.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { ensureQueue } from '../work-queues/ensure-queue.ts'

interface Limits {
  readonly concurrency_limit?: number | null
  readonly global_concurrency_limit_id?: string | null
}

export function findLimitConflict(sent: Readonly<Record<string, unknown>>): string | undefined {
  if (!sent.concurrency_limit || !sent.global_concurrency_limit_id) return undefined
  return 'A deployment cannot have both "concurrency_limit" and "global_concurrency_limit_id".'
}

const limitById = statement('select id from concurrency_limit where id = $1')

export async function assertLimitExists(db: Db, { global_concurrency_limit_id: id }: Limits): Promise<void> {
  if (id && !(await db.first(limitById, [id]))) throw notFound('Concurrency limit')
}

interface Documents {
  readonly storage_document_id?: string | null
  readonly infrastructure_document_id?: string | null
}

const documentById = statement('select id from block_document where id = $1')

export async function assertDocumentsExist(db: Db, body: Documents): Promise<void> {
  for (const kind of ['infrastructure', 'storage'] as const) {
    const id = body[`${kind}_document_id`]
    if (id && !(await db.first(documentById, [id]))) throw unknownReference(`The ${kind} block ${id}`)
  }
}

/** The names in a request. Null means that no name was given. */
interface QueueNames {
  readonly work_pool_name?: string | null
  readonly work_queue_name?: string | null
}

/** Finds or creates the named queue. Undefined if no name was given. */
export async function resolveQueueId(
  context: ServerContext,
  tx: Tx,
  { work_pool_name: pool, work_queue_name: queue }: QueueNames,
): Promise<string | undefined> {
  if (pool) return (await ensureQueue(context, tx, { pool, queue: queue || null })).id
  if (queue) return (await ensureQueue(context, tx, { pool: null, queue })).id
  return undefined
}

import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { ensureQueue } from '../work-queues/ensure-queue.ts'

/** What a request says of where runs go; null is as good as nothing. */
interface QueueNames {
  readonly work_pool_name?: string | null
  readonly work_queue_name?: string | null
}

/** The queue that the names stand for, made when it is not there; undefined when no name was given. */
export async function resolveQueueId(
  context: ServerContext,
  tx: Tx,
  { work_pool_name: pool, work_queue_name: queue }: QueueNames,
): Promise<string | undefined> {
  if (pool) return (await ensureQueue(context, tx, { pool, queue: queue || null })).id
  if (queue) return (await ensureQueue(context, tx, { pool: null, queue })).id
  return undefined
}

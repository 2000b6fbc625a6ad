import type { MillraceClient } from '@millrace/client/client.ts'
import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { UsageError } from '../errors.ts'
import { ambiguousItem, findItem, itemNotFound } from '../find-item.ts'
import { isId } from '../resolve.ts'
import { findWorkPool } from './work-pool-reference.ts'

/** How the commands take a queue. Names have no slash. */
export const queueArgument = ['<queue>', 'POOL/QUEUE, a name that only one pool has, or an id'] as const
export const poolOption = ['-p, --pool <pool>', 'pool of the queue'] as const

/** The pool and the queue of `POOL/QUEUE`, or of a name and `--pool`. */
export function splitQueueReference(reference: string, pool: string | undefined): { pool: string | undefined; name: string } {
  const slash = reference.indexOf('/')
  if (slash < 0) return { pool, name: reference }
  const own = reference.slice(0, slash)
  if (pool !== undefined && pool !== own) throw new UsageError(`"${reference}" names pool "${own}", but --pool is "${pool}".`)
  return { pool: own, name: reference.slice(slash + 1) }
}

export async function findWorkQueue(client: MillraceClient, reference: string, givenPool: string | undefined): Promise<WorkQueueResponse> {
  const { pool, name } = splitQueueReference(reference, givenPool)
  if (pool !== undefined) {
    await findWorkPool(client, pool)
    const item = { noun: 'Work queue', name: `${pool}/${name}`, list: `work-queue ls --pool ${pool}` }
    if (name === '') throw itemNotFound(item)
    return findItem(item, () => client.workQueues.readInPool(pool, name))
  }
  const item = { noun: 'Work queue', name, list: 'work-queue ls' }
  if (isId(name)) return findItem(item, () => client.workQueues.read(name))
  const [queue, ...others] = await client.workQueues.list({ work_queues: { name: { any_: [name] } } })
  if (!queue) throw itemNotFound(item)
  if (others.length === 0) return queue
  const choices = [queue, ...others].map((each) => `${each.work_pool_name}/${each.name}`).sort()
  throw ambiguousItem(item, choices, 'Name the pool:')
}

import { notFound } from '../../errors.ts'
import { type Db, statement } from '../../storage/database.ts'

const poolByName = statement('select id, default_queue_id from work_pool where name = $1')
const queueByName = statement('select id, name from work_queue where work_pool_id = $1 and name = $2')
const queueById = statement('select id, name from work_queue where id = $1')

/** The queue that a pool's name and perhaps a queue's name stand for; without the latter it is the pool's default. */
export async function findQueue(db: Db, poolName: string, queueName: string | null | undefined): Promise<{ id: string; name: string }> {
  const pool = await db.first<{ id: string; default_queue_id: string }>(poolByName, [poolName])
  if (!pool) throw notFound(`Work pool "${poolName}"`)
  const queue = await (queueName
    ? db.first<{ id: string; name: string }>(queueByName, [pool.id, queueName])
    : db.first<{ id: string; name: string }>(queueById, [pool.default_queue_id]))
  if (!queue) throw notFound(`Work queue "${queueName}" of work pool "${poolName}"`)
  return queue
}

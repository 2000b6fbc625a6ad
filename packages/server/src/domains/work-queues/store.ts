import type { WorkQueueFilter } from '@millrace/contracts/work-queue-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../../lib/time.ts'
import { all, type Condition } from '../../storage/criteria.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { agentPoolName } from '../work-pools/store.ts'
import { workQueueWhere } from './filter.ts'
import type { QueuePriority } from './priorities.ts'

export type QueueRow = Row<'work_queue'>

/** A queue with the name and type of its pool. */
export interface QueueWithPool extends QueueRow {
  readonly work_pool_name: string
  readonly work_pool_type: string
}

const withPool = `work_queue.*, work_pool.name as work_pool_name, work_pool.type as work_pool_type
  from work_queue join work_pool on work_pool.id = work_queue.work_pool_id`

const byId = statement(`select ${withPool} where work_queue.id = $1`)
const byIds = statement((dialect) => `select ${withPool} where ${dialect.inList('work_queue.id', '$1', 'uuid')}`)
const byName = statement(`select ${withPool} where work_pool.name = $1 and work_queue.name = $2`)
const ofPool = statement(`select ${withPool} where work_queue.work_pool_id = $1 order by work_queue.priority, work_queue.id`)
const priorities = statement('select id, name, priority from work_queue where work_pool_id = $1')
const remove = statement('delete from work_queue where id = $1')

export const readQueue = (db: Db, id: string): Promise<QueueWithPool | undefined> => db.first<QueueWithPool>(byId, [id])
export const readQueues = (db: Db, ids: readonly string[]): Promise<QueueWithPool[]> => db.all<QueueWithPool>(byIds, [db.dialect.list(ids)])
export const readQueueByName = (db: Db, pool: string, name: string): Promise<QueueWithPool | undefined> =>
  db.first<QueueWithPool>(byName, [pool, name])
/** Reads a queue without a pool. */
export const readAgentPoolQueue = (db: Db, name: string): Promise<QueueWithPool | undefined> => readQueueByName(db, agentPoolName, name)
export const readQueuesOfPool = (db: Db, poolId: string): Promise<QueueWithPool[]> => db.all<QueueWithPool>(ofPool, [poolId])

/** Names and priorities within a pool. Valid while the pool's row is locked. */
export const readPriorities = (tx: Tx, poolId: string): Promise<(QueuePriority & { readonly name: string })[]> => tx.all(priorities, [poolId])

export const insertQueue = (tx: Tx, row: QueueRow): Promise<number> => tx.insert('work_queue', [row])
export const updateQueueRow = (tx: Tx, row: Partial<QueueRow>): Promise<number> => tx.update('work_queue', [row])
export const deleteQueueRow = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

export const updatePriorities = (tx: Tx, moved: readonly QueuePriority[], now: Micros): Promise<number> =>
  tx.update(
    'work_queue',
    moved.map(({ id, priority }) => ({ id, priority, updated: now })),
  )

interface ListOptions {
  readonly limit: number
  readonly offset: number
}

/** Queues of one pool by priority. */
export const listQueuesOfPool = (db: Db, poolId: string, filter: WorkQueueFilter | null, options: ListOptions): Promise<QueueWithPool[]> =>
  list(db, [sql`work_queue.work_pool_id = ${poolId}`], filter, sql`work_queue.priority, work_queue.id`, options)

/** Queues of all pools by name. */
export const listQueues = (db: Db, filter: WorkQueueFilter | null, options: ListOptions): Promise<QueueWithPool[]> =>
  list(db, [], filter, sql`work_queue.name, work_queue.id`, options)

async function list(
  db: Db,
  scope: Condition[],
  filter: WorkQueueFilter | null,
  order: RawBuilder<unknown>,
  options: ListOptions,
): Promise<QueueWithPool[]> {
  const where = all([...scope, ...(filter ? [workQueueWhere(db.dialect, filter)] : [])])
  const query = sql<QueueWithPool>`select ${sql.raw(withPool)} where ${where} order by ${order} limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { setPoolStatus } from './pool-status.ts'
import type { PoolRow } from './store.ts'

const poolsWithoutWorkers = statement(
  (dialect) => `select * from work_pool where status = 'READY'
      and not exists (select 1 from worker where worker.work_pool_id = work_pool.id and worker.status = 'ONLINE')
    order by id limit $1 ${dialect.forUpdate}`,
)

/** Pools that were ready and have no worker left. Returns how many were found, `max` at most. */
export async function markStalePools(context: ServerContext, tx: Tx, max: number): Promise<number> {
  const pools = await tx.all<PoolRow>(poolsWithoutWorkers, [max])
  for (const pool of pools) await setPoolStatus(context, tx, pool, 'NOT_READY')
  return pools.length
}

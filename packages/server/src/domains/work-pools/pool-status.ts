import { defaultPoolType, type WorkPoolStatus } from '@millrace/contracts/work-pool.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { poolStatusEvent } from './events.ts'
import { type PoolRow, updatePoolRow } from './store.ts'

/** `prefect-agent` is the name of the default type that existing clients send. */
const agentTypes: readonly string[] = [defaultPoolType, 'prefect-agent']

/**
 * Agents poll but send no heartbeats, so the API shows no status for pools of their type, and a pause does not change it. The status
 * is still stored: if a worker sends a heartbeat, the pool emits READY and later NOT_READY.
 */
export const hasStatus = (type: string): boolean => !agentTypes.includes(type)

/** Sets and emits the status of a pool. The pool stores the event id, so that the next status event can refer to it. */
export async function setPoolStatus({ clock, newId }: ServerContext, tx: Tx, before: PoolRow, status: WorkPoolStatus): Promise<void> {
  const now = clock.now()
  const id = newId()
  await updatePoolRow(tx, { id: before.id, updated: now, status, last_status_event_id: id, last_transitioned_status_at: now })
  tx.emit(poolStatusEvent({ ...before, status }, before, id, now))
}

const poolsWithoutWorkers = statement(
  (dialect) => `select * from work_pool where status = 'READY'
      and not exists (select 1 from worker where worker.work_pool_id = work_pool.id and worker.status = 'ONLINE')
    order by id limit $1 ${dialect.forUpdate}`,
)

/** Marks at most `max` ready pools without an online worker as not ready. Returns their number. */
export async function markStalePools(context: ServerContext, tx: Tx, max: number): Promise<number> {
  const pools = await tx.all<PoolRow>(poolsWithoutWorkers, [max])
  for (const pool of pools) await setPoolStatus(context, tx, pool, 'NOT_READY')
  return pools.length
}

import type { WorkerFilter } from '@millrace/contracts/worker.ts'
import { sql } from 'kysely'
import type { Micros } from '../../lib/time.ts'
import { all } from '../../storage/criteria.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { workerWhere } from './filter.ts'

export type WorkerRow = Row<'worker'>

const online = statement(`select 1 as one from worker where work_pool_id = $1 and status = 'ONLINE' limit 1`)
const remove = statement('delete from worker where work_pool_id = $1 and name = $2')
const markOffline = statement(
  `update worker set status = 'OFFLINE', updated = $1 where status = 'ONLINE'
    and last_heartbeat_time < $1 - coalesce(heartbeat_interval_seconds * cast($2 as bigint), cast($3 as bigint))`,
)

export const hasOnlineWorkers = async (db: Db, poolId: string): Promise<boolean> => (await db.first(online, [poolId])) !== undefined
export const deleteWorker = (tx: Tx, poolId: string, name: string): Promise<number> => tx.run(remove, [poolId, name])

/** Workers are unique by pool and name. A heartbeat without an interval keeps the stored one. */
export const recordHeartbeats = (tx: Tx, rows: readonly WorkerRow[]): Promise<number> =>
  tx.insert('worker', rows, {
    onConflict: `on conflict (work_pool_id, name) do update set updated = excluded.updated, last_heartbeat_time = excluded.last_heartbeat_time,
      status = excluded.status, heartbeat_interval_seconds = coalesce(excluded.heartbeat_interval_seconds, worker.heartbeat_interval_seconds)`,
  })

/** Marks workers offline after `perIntervalSecond` of silence for each second of their interval, or after `withoutInterval`. */
export const markWorkersOffline = (tx: Tx, now: Micros, perIntervalSecond: Micros, withoutInterval: Micros): Promise<number> =>
  tx.run(markOffline, [now, perIntervalSecond, withoutInterval])

/** Latest heartbeat first. */
export async function listWorkers(
  db: Db,
  poolId: string,
  filter: WorkerFilter | null,
  options: { limit: number; offset: number },
): Promise<WorkerRow[]> {
  const where = all([sql`worker.work_pool_id = ${poolId}`, ...(filter ? [workerWhere(db.dialect, filter)] : [])])
  const query = sql<WorkerRow>`select worker.* from worker where ${where} order by worker.last_heartbeat_time desc, worker.id limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

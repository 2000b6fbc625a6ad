import { notFound } from '../../errors.ts'
import type { Micros } from '../../lib/time.ts'
import { type Batch, statement } from '../../storage/database.ts'
import { perServer } from '../../storage/server-context.ts'
import { setPoolStatus } from '../work-pools/pool-status.ts'
import { lockPool, type PoolRow } from '../work-pools/store.ts'
import { recordHeartbeats, type WorkerRow } from './store.ts'

export interface Heartbeat {
  readonly pool: string
  readonly worker: string
  readonly intervalSeconds: number | null
}

type Pool = Pick<PoolRow, 'id' | 'name' | 'status'>

const poolsByName = statement((dialect) => `select id, name, status from work_pool where ${dialect.inList('name', '$1', 'text')}`)

/** Records heartbeats. The first one creates the worker and marks a pool without workers as ready. */
export const heartbeatBatch = perServer(
  (context): Batch<Heartbeat, void> =>
    async (tx, heartbeats) => {
      const { clock, newId } = context
      const names = [...new Set(heartbeats.map(({ pool }) => pool))]
      const pools = new Map((await tx.all<Pool>(poolsByName, [tx.dialect.list(names)])).map((pool) => [pool.name, pool]))
      await recordHeartbeats(tx, toWorkerRows(heartbeats, pools, clock.now(), newId))
      for (const { id, status } of pools.values()) {
        if (status !== 'NOT_READY') continue
        const pool = await lockPool(tx, id)
        if (pool?.status === 'NOT_READY') await setPoolStatus(context, tx, pool, 'READY')
      }
      return heartbeats.map(({ pool }) => (pools.has(pool) ? undefined : notFound(`Work pool "${pool}"`)))
    },
)

/** One row for each worker, because PostgreSQL cannot upsert a row twice in one statement. Sorted, to prevent deadlocks between replicas. */
function toWorkerRows(heartbeats: readonly Heartbeat[], pools: ReadonlyMap<string, Pool>, now: Micros, newId: () => string): WorkerRow[] {
  const rows = new Map<string, WorkerRow>()
  for (const { pool: poolName, worker: name, intervalSeconds } of heartbeats) {
    const pool = pools.get(poolName)
    if (!pool) continue
    const key = `${pool.id} ${name}`
    const heartbeat_interval_seconds = intervalSeconds ?? rows.get(key)?.heartbeat_interval_seconds ?? null
    const defaults = { id: newId(), created: now, updated: now, last_heartbeat_time: now }
    rows.set(key, { ...defaults, work_pool_id: pool.id, name, heartbeat_interval_seconds, status: 'ONLINE' })
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

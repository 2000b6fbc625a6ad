import { notFound } from '../../errors.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { Batch } from '../../storage/lane.ts'
import { perParts } from '../../storage/per-parts.ts'
import { changePoolStatus } from '../work-pools/change-status.ts'
import { lockPool, type PoolRow } from '../work-pools/store.ts'
import { recordHeartbeats, type WorkerRow } from './store.ts'

export interface Heartbeat {
  readonly pool: string
  readonly worker: string
  readonly intervalSeconds: number | null
}

const poolsByName = statement((dialect) => `select * from work_pool where ${dialect.inList('name', '$1', 'text')}`)

/** A worker says that it is there: the first time that makes it, and a pool that waited for one ready. */
export const heartbeats = perParts(
  (parts): Batch<Heartbeat, void> =>
    async (tx, beats) => {
      const { clock, newId } = parts
      const now = clock.now()
      const pools = new Map(
        (await tx.all<PoolRow>(poolsByName, [tx.dialect.list([...new Set(beats.map(({ pool }) => pool))])])).map((row) => [row.name, row]),
      )
      const rows = new Map<string, WorkerRow>()
      const results = beats.map(({ pool: name, worker, intervalSeconds }): Error | undefined => {
        const pool = pools.get(name)
        if (!pool) return notFound(`Work pool "${name}"`)
        // One row each: PostgreSQL does not write a row twice in one statement.
        const key = `${pool.id} ${worker}`
        const interval = intervalSeconds ?? rows.get(key)?.heartbeat_interval_seconds ?? null
        rows.set(key, {
          id: newId(),
          created: now,
          updated: now,
          work_pool_id: pool.id,
          name: worker,
          last_heartbeat_time: now,
          heartbeat_interval_seconds: interval,
          status: 'ONLINE',
        })
        return undefined
      })
      // In one order, so that two servers do not wait for each other.
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
      await recordHeartbeats(tx, sorted)
      for (const id of new Set(sorted.map((row) => row.work_pool_id))) await wakePool(tx, id)
      return results

      async function wakePool(tx: Tx, id: string): Promise<void> {
        if ([...pools.values()].find((pool) => pool.id === id)?.status !== 'NOT_READY') return
        const pool = await lockPool(tx, id)
        if (pool?.status === 'NOT_READY') await changePoolStatus(parts, tx, pool, 'READY')
      }
    },
)

import { addSeconds, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { type CrashCounts, crashRuns } from './crash-silent-runs.ts'

/** No heartbeat within the timeout. `$2` is the time at which this server started to watch, `$3` the timeout per second of the heartbeat interval, `$4` the timeout without an interval. */
const isOfflineSql = (worker: string): string => {
  const timeout = `coalesce(${worker}.heartbeat_interval_seconds * cast($3 as bigint), cast($4 as bigint))`
  return `(${worker}.last_heartbeat_time < $1 - ${timeout} and cast($2 as bigint) < $1 - ${timeout})`
}

/**
 * Pending runs whose worker is offline: the worker that claimed the run, or every worker of the pool if the client did not send its name. A worker that claims
 * and dies before its first heartbeat arrives is unknown to the pool. Infrastructure outlives its worker and may start slowly, so a run with an
 * `infrastructure_pid` has until `$6`. Running runs are checked by their own heartbeats.
 */
const orphaned = statement(
  (dialect) => `select flow_run.id, flow_run.worker_name as worker, work_pool.name as pool
    from flow_run
    join work_queue on work_queue.id = flow_run.work_queue_id
    join work_pool on work_pool.id = work_queue.work_pool_id
    left join worker on worker.work_pool_id = work_pool.id and worker.name = flow_run.worker_name
    where flow_run.state_type = 'PENDING' and flow_run.state_timestamp < $5 and (flow_run.infrastructure_pid is null or flow_run.state_timestamp < $6)
      and case when worker.id is not null then ${isOfflineSql('worker')} when flow_run.worker_name is not null then cast($2 as bigint) < $1 - cast($4 as bigint) else
        exists (select 1 from worker other where other.work_pool_id = work_pool.id)
        and not exists (select 1 from worker other where other.work_pool_id = work_pool.id and not ${isOfflineSql('other')}) end
    order by flow_run.id limit $7 ${dialect.skipLocked && 'for update of flow_run skip locked'}`,
)

interface Orphan {
  readonly id: string
  readonly worker: string | null
  readonly pool: string
}

/** Crashes up to `limit` runs that a worker claimed and did not start before it went offline. */
export const crashOrphanedRuns =
  (context: ActingContext, watchedSince: Micros, limit: number) =>
  async (tx: Tx): Promise<CrashCounts> => {
    const now = context.clock.now()
    const { worker_monitor, zombie_detection } = context.config.services
    const perSecond = worker_monitor.inactivity_heartbeat_multiple * MICROS_PER_SECOND
    const defaultTimeout = Math.round(worker_monitor.fallback_heartbeat_interval_seconds * perSecond)
    const values = [
      now,
      watchedSince,
      perSecond,
      defaultTimeout,
      now - defaultTimeout,
      addSeconds(now, -zombie_detection.pending_infrastructure_seconds),
      limit,
    ]
    const orphans = await tx.all<Orphan>(orphaned, values)
    return crashRuns(
      context,
      tx,
      orphans.map(({ id, worker, pool }) => ({ id, message: `${describeOfflineWorkers(worker, pool)} before the run had started.` })),
    )
  }

const describeOfflineWorkers = (worker: string | null, pool: string): string =>
  worker === null ? `Every worker of the pool "${pool}" went away` : `The worker "${worker}" of the pool "${pool}" went away`

import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { FlowRunWithPool } from '../../runs/flow-run-rows.ts'
import { statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { markReady } from './deployment-status.ts'

const dueRuns = statement(
  (dialect) => `select flow_run.*, work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name
    from deployment
    join flow_run on flow_run.deployment_id = deployment.id
    left join work_queue on work_queue.id = flow_run.work_queue_id
    left join work_pool on work_pool.id = work_queue.work_pool_id
    where ${dialect.inList('deployment.id', '$1', 'uuid')} and flow_run.state_type = 'SCHEDULED' and flow_run.next_scheduled_start_time <= $2
    order by flow_run.next_scheduled_start_time, flow_run.id limit $3`,
)
const stalePolls = statement(
  (dialect) =>
    `select id from deployment where ${dialect.inList('id', '$1', 'uuid')} 
      and (status = 'NOT_READY' or last_polled is null or last_polled < $2 or last_polled > $3)`,
)

/** Polls are recorded this many times within the timeout after which a deployment becomes NOT_READY. */
const recordsPerTimeout = 4
const timeMax = Number.MAX_SAFE_INTEGER

/** Returns the due runs of deployments and marks the deployments as ready. */
export async function pollDeployments(
  context: ActingContext,
  ids: readonly string[],
  before: Micros | null,
  limit: number,
): Promise<FlowRunWithPool[]> {
  const { reads, commands, clock, config } = context
  if (ids.length === 0) return []
  const runs = await reads.all<FlowRunWithPool>(dueRuns, [reads.dialect.list(ids), before ?? timeMax, limit])
  const now = clock.now()
  const every = (config.services.worker_monitor.deployment_last_polled_timeout_seconds * MICROS_PER_SECOND) / recordsPerTimeout
  // A time far in the future was written by a wrong clock.
  const fresh = { from: now - every, to: now + every }
  const stale = await reads.all<{ id: string }>(stalePolls, [reads.dialect.list(ids), fresh.from, fresh.to])
  if (stale.length > 0)
    await commands.submit((tx) =>
      markReady(
        context,
        tx,
        stale.map(({ id }) => id),
        fresh,
      ),
    )
  return runs
}

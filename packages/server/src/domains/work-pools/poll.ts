import type { Received } from '@millrace/contracts/primitives.ts'
import type { WorkerFlowRunResponse, WorkPoolScheduledFlowRunsBody } from '@millrace/contracts/work-pool.ts'
import { notFound } from '../../errors.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { toFlowRunResponse } from '../flow-runs/store.ts'
import { pageLimit } from '../request-params.ts'
import { handOutRuns } from '../work-queues/hand-out-runs.ts'
import { dueRange, type PolledQueue, queuesWithCapacity, readPolledQueues, remainingSlots } from '../work-queues/poll-store.ts'
import { recordPolls } from '../work-queues/record-polls.ts'

/** Returns the due runs of a pool for a worker, ordered by queue priority and time, within all limits. */
export async function pollPool(
  context: ActingContext,
  poolName: string,
  body: Received<typeof WorkPoolScheduledFlowRunsBody>,
): Promise<WorkerFlowRunResponse[]> {
  const { reads, clock, config } = context
  const limit = pageLimit(body.limit, config.server.api.default_limit)
  const range = dueRange(body.scheduled_after, body.scheduled_before)
  const all = await readPolledQueues(reads, poolName, range)
  const pool = all[0]
  if (!pool) throw notFound(`Work pool "${poolName}"`)
  const queues = selectQueues(all, body.work_queue_names, poolName)

  const usedSlots = all.reduce((sum, { used_slots }) => sum + used_slots, 0)
  const capacity = remainingSlots(pool.pool_limit, usedSlots)
  const runs = await handOutRuns(context, { poolId: pool.pool_id, queues: queuesWithCapacity(queues), range, capacity, limit })
  await recordPolls(context, queues)

  const now = clock.now()
  const poolColumns = { queue_name: null, work_pool_id: pool.pool_id, work_pool_name: poolName }
  return runs.map((run) => {
    // Assigns to the row instead of copying it: copying 200 rows takes longer than reading them from SQLite.
    const flow_run = toFlowRunResponse(Object.assign(run, poolColumns), now)
    return { work_pool_id: pool.pool_id, work_queue_id: run.work_queue_id as string, flow_run }
  })
}

/** Null or an empty list selects every queue. */
function selectQueues(queues: readonly PolledQueue[], names: readonly string[] | null, poolName: string): readonly PolledQueue[] {
  if (!names || names.length === 0) return queues
  const missing = names.find((name) => !queues.some((queue) => queue.name === name))
  if (missing !== undefined) throw notFound(`Work queue "${missing}" of work pool "${poolName}"`)
  return queues.filter(({ name }) => names.includes(name))
}

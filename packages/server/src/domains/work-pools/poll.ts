import type { Received } from '@millrace/contracts/primitives.ts'
import type { WorkerFlowRunResponse, WorkPoolScheduledFlowRunsBody } from '@millrace/contracts/work-pool.ts'
import { notFound } from '../../errors.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toFlowRunResponse } from '../flow-runs/store.ts'
import { pageLimit } from '../request-params.ts'
import { dueRange, readDueRuns } from '../work-queues/due-runs.ts'
import { type PolledQueue, queuesWithCapacity, readPolledQueues, remainingSlots } from '../work-queues/poll-query.ts'
import { recordPolls } from '../work-queues/record-polls.ts'

/** What a worker asks for: runs that are due, by the priority of their queues and then by time, as far as limits allow. */
export async function pollPool(
  context: ServerContext,
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

  const used = all.reduce((sum, { in_slots }) => sum + in_slots, 0)
  const runs = await readDueRuns(reads, queuesWithCapacity(queues), range, Math.min(limit, remainingSlots(pool.pool_limit, used)))
  await recordPolls(context)(queues)

  const now = clock.now()
  const told = { queue_name: null, work_pool_id: pool.pool_id, work_pool_name: poolName }
  return runs.map((run) => {
    // The row is filled in, not copied: copies of 200 rows take longer than reading them from SQLite.
    const flow_run = toFlowRunResponse(Object.assign(run, told), now)
    // Workers look the state up themselves when they take a run; existing ones expect none here.
    flow_run.state = null
    return { work_pool_id: pool.pool_id, work_queue_id: run.work_queue_id as string, flow_run }
  })
}

/** No names at all, or an empty list, stand for every queue. */
function selectQueues(queues: readonly PolledQueue[], names: readonly string[] | null, poolName: string): readonly PolledQueue[] {
  if (!names || names.length === 0) return queues
  const missing = names.find((name) => !queues.some((queue) => queue.name === name))
  if (missing !== undefined) throw notFound(`Work queue "${missing}" of work pool "${poolName}"`)
  return queues.filter(({ name }) => names.includes(name))
}

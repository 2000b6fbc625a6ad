import type { MillraceClient } from '@millrace/client/client.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { mapWithRequests } from '../collect-items.ts'
import { type QueueUsage, readPoolQueues } from './queue-usage.ts'

/** What a scheduled run waits for. One that waits for a worker is delivered by the next poll. */
type AwaitedBy = 'worker' | 'time' | 'queue slot' | 'pool slot' | 'resume of queue' | 'resume of pool'

export interface PreviewedRun {
  readonly work_pool_id: string
  readonly work_queue_id: string
  readonly work_queue_name: string
  readonly waits_for: AwaitedBy
  readonly flow_run: FlowRunResponse
}

export interface PreviewScope {
  readonly pool: WorkPoolResponse
  /** Only the runs of this queue. */
  readonly queueId?: string
}

/**
 * The scheduled runs of a pool in the order in which workers get them: by priority of the queue, then by time. It applies the pauses and limits as a
 * poll does. It does not poll: a poll marks the queues and the deployments as ready.
 */
export async function previewRuns(
  client: MillraceClient,
  { pool, queueId }: PreviewScope,
  nowMs: number,
  untilMs: number,
  max: number,
): Promise<PreviewedRun[]> {
  const queues = await readPoolQueues(client, pool.name)
  const runsByQueue = await mapWithRequests(queues, (queue) => listScheduled(client, queue, untilMs, max))
  const used = queues.reduce((sum, { slots_in_use }) => sum + slots_in_use, 0)
  let freeInPool = freeSlots(pool.concurrency_limit, used)
  const previewed = queues.flatMap((queue, index) => {
    let freeInQueue = freeSlots(queue.concurrency_limit, queue.slots_in_use)
    return (runsByQueue[index] ?? []).map((flow_run): PreviewedRun => {
      const waits_for = awaited(pool, queue, { isDue: Date.parse(flow_run.next_scheduled_start_time ?? '') <= nowMs, freeInPool, freeInQueue })
      if (waits_for === 'worker') {
        freeInPool -= 1
        freeInQueue -= 1
      }
      return { work_pool_id: pool.id, work_queue_id: queue.id, work_queue_name: queue.name, waits_for, flow_run }
    })
  })
  // The other queues are evaluated too, because they compete for the slots of the pool.
  return previewed.filter(({ work_queue_id }) => queueId === undefined || work_queue_id === queueId).slice(0, max)
}

const freeSlots = (limit: number | null, used: number): number => (limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used))

async function listScheduled(client: MillraceClient, queue: QueueUsage, untilMs: number, max: number): Promise<FlowRunResponse[]> {
  const flow_runs = {
    state: { type: { any_: ['SCHEDULED' as const] } },
    next_scheduled_start_time: { before_: new Date(untilMs).toISOString() },
  }
  const runs = client.flowRuns.listAll({ flow_runs, work_pool_queues: { id: { any_: [queue.id] } }, sort: 'NEXT_SCHEDULED_START_TIME_ASC' }, { max })
  // A run that retries in its process is not delivered again.
  return (await Array.fromAsync(runs)).filter(({ empirical_policy }) => empirical_policy.retry_type !== 'in_process')
}

function awaited(
  pool: WorkPoolResponse,
  queue: QueueUsage,
  { isDue, freeInPool, freeInQueue }: { isDue: boolean; freeInPool: number; freeInQueue: number },
): AwaitedBy {
  if (pool.is_paused) return 'resume of pool'
  if (queue.is_paused) return 'resume of queue'
  if (!isDue) return 'time'
  if (freeInQueue <= 0) return 'queue slot'
  return freeInPool <= 0 ? 'pool slot' : 'worker'
}

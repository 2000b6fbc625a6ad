import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import type { WorkerResponse } from '@millrace/contracts/worker.ts'

export interface LateRunContext {
  readonly pool: Pick<WorkPoolResponse, 'name' | 'is_paused' | 'concurrency_limit' | 'active_slots'> | undefined
  readonly queue: Pick<WorkQueueResponse, 'name' | 'is_paused' | 'concurrency_limit' | 'active_slots'> | undefined
  readonly workers: readonly Pick<WorkerResponse, 'status'>[] | undefined
  readonly deployment: Pick<DeploymentResponse, 'name' | 'status' | 'global_concurrency_limit'> | null | undefined
}

const isFull = (limit: number | null | undefined, used: number | null | undefined): boolean =>
  limit !== null && limit !== undefined && (used ?? 0) >= limit

const slotsText = (limit: number): string => (limit === 0 ? 'has no slots' : `has ${limit} of ${limit} slots in use`)

/** Names the first obstacle that keeps a due run from starting. */
export function explainLateRun({ pool, queue, workers, deployment }: LateRunContext): string {
  if (!pool) {
    return deployment?.status === 'NOT_READY'
      ? `Deployment ${deployment.name} is not being served. Start its process.`
      : 'No work pool. Only a process serving the deployment can start this run.'
  }
  if (pool.is_paused) return `Work pool ${pool.name} is paused`
  if (queue?.is_paused) return `Work queue ${queue.name} of ${pool.name} is paused`
  if (workers && workers.length === 0) return `Work pool ${pool.name} has no workers`
  if (workers && !workers.some(({ status }) => status === 'ONLINE')) return `No worker of ${pool.name} is online. Start a worker.`
  if (isFull(pool.concurrency_limit, pool.active_slots)) return `Work pool ${pool.name} ${slotsText(pool.concurrency_limit ?? 0)}`
  if (queue && isFull(queue.concurrency_limit, queue.active_slots)) return `Work queue ${queue.name} ${slotsText(queue.concurrency_limit ?? 0)}`
  const limit = deployment?.global_concurrency_limit
  if (limit?.active && isFull(limit.limit, limit.active_slots)) return `Deployment ${deployment?.name} ${slotsText(limit.limit)}`
  return `${pool.name} has workers and free slots. The run should start shortly.`
}

import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import type { WorkerResponse } from '@millrace/contracts/worker.ts'

export interface PoolHealth {
  readonly tone: 'good' | 'warning' | 'danger'
  readonly label: string
}

/** Whether a pool can start runs now, and if not, why. */
export function poolHealth(
  pool: Pick<WorkPoolResponse, 'is_paused' | 'concurrency_limit' | 'active_slots' | 'type'>,
  workers: readonly Pick<WorkerResponse, 'status'>[] | undefined,
): PoolHealth {
  if (pool.is_paused) return { tone: 'warning', label: 'Paused' }
  const online = workers?.filter(({ status }) => status === 'ONLINE').length ?? 0
  if (workers && online === 0) return { tone: 'danger', label: workers.length === 0 ? 'No workers' : 'No workers online' }
  if (pool.concurrency_limit !== null && (pool.active_slots ?? 0) >= pool.concurrency_limit) return { tone: 'warning', label: 'All slots in use' }
  return { tone: 'good', label: workers ? `${online} ${online === 1 ? 'worker' : 'workers'}` : 'Ready' }
}

import { DeploymentFilter } from './deployment-filter.ts'
import { FlowFilter } from './flow-filter.ts'
import { FlowRunFilter } from './flow-run-filter.ts'
import { orNull } from './primitives.ts'
import { TaskRunFilter } from './task-run-filter.ts'
import { WorkPoolFilter } from './work-pool-filter.ts'
import { WorkQueueFilter } from './work-queue-filter.ts'

/**
 * The filters of related nouns that an operation accepts. Each filter has its own file to avoid import cycles, because the operations
 * of every noun accept the filters of the others.
 */
export const byRuns = {
  flows: orNull(FlowFilter),
  flow_runs: orNull(FlowRunFilter),
  task_runs: orNull(TaskRunFilter),
  deployments: orNull(DeploymentFilter),
}

export const byRunsAndPools = { ...byRuns, work_pools: orNull(WorkPoolFilter) }

/** Most operations name the filter of queues `work_pool_queues`. */
export const byRunsAndQueues = { ...byRunsAndPools, work_pool_queues: orNull(WorkQueueFilter) }

/** A few name it `work_queues`. */
export const byRunsAndWorkQueues = { ...byRunsAndPools, work_queues: orNull(WorkQueueFilter) }

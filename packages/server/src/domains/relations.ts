import type { DeploymentFilter } from '@millrace/contracts/deployment-filter.ts'
import type { FlowFilter } from '@millrace/contracts/flow-filter.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import type { WorkPoolFilter } from '@millrace/contracts/work-pool-filter.ts'
import type { WorkQueueFilter } from '@millrace/contracts/work-queue-filter.ts'
import { sql } from 'kysely'
import { all, type Condition, exists } from '../storage/criteria.ts'
import type { Dialect } from '../storage/dialect.ts'
import { deploymentWhere } from './deployments/filter.ts'
import { flowRunWhere } from './flow-runs/filter.ts'
import { flowWhere } from './flows/filter.ts'
import { taskRunWhere } from './task-runs/filter.ts'
import { workPoolWhere } from './work-pools/filter.ts'
import { workQueueWhere } from './work-queues/filter.ts'

/** Filters on related nouns. This file alone defines how nouns join. */
export interface RelatedFilters {
  readonly flows?: FlowFilter | null
  readonly flow_runs?: FlowRunFilter | null
  readonly task_runs?: TaskRunFilter | null
  readonly deployments?: DeploymentFilter | null
  readonly work_pools?: WorkPoolFilter | null
  /** The same filter under two names: operations use different ones. */
  readonly work_pool_queues?: WorkQueueFilter | null
  readonly work_queues?: WorkQueueFilter | null
}

/** No condition without a filter. */
const whenGiven = <F>(filter: F | null | undefined, where: (filter: F) => Condition): Condition[] => (filter ? [where(filter)] : [])

export function flowsWhere(dialect: Dialect, filters: RelatedFilters): Condition {
  const runs = runConditions(dialect, filters)
  const deployments = deploymentConditions(dialect, filters)
  return all([
    ...whenGiven(filters.flows, (filter) => flowWhere(dialect, filter)),
    ...(runs.length === 0 ? [] : [exists(sql`flow_run`, [sql`flow_run.flow_id = flow.id`, ...runs])]),
    ...(deployments.length === 0 ? [] : [exists(sql`deployment`, [sql`deployment.flow_id = flow.id`, ...deployments])]),
  ])
}

export function flowRunsWhere(dialect: Dialect, filters: RelatedFilters): Condition {
  return all([
    ...whenGiven(filters.flow_runs, (filter) => flowRunWhere(dialect, filter)),
    ...whenGiven(filters.flows, (filter) => exists(sql`flow`, [sql`flow.id = flow_run.flow_id`, flowWhere(dialect, filter)])),
    ...whenGiven(filters.task_runs, (filter) => exists(sql`task_run`, [sql`task_run.flow_run_id = flow_run.id`, taskRunWhere(dialect, filter)])),
    ...whenGiven(filters.deployments, (filter) =>
      exists(sql`deployment`, [sql`deployment.id = flow_run.deployment_id`, deploymentWhere(dialect, filter)]),
    ),
    ...queueExists(dialect, filters, sql`work_queue.id = flow_run.work_queue_id`),
  ])
}

/**
 * `from` says where the database shall begin: a list reads task runs in their order and checks the flow run of each, up to the end of the page; a
 * count reads the matching flow runs first and then their task runs.
 */
export function taskRunsWhere(dialect: Dialect, filters: RelatedFilters, from: 'task runs' | 'flow runs' = 'task runs'): Condition {
  const { task_runs, ...others } = filters
  const flowRunCondition = flowRunsWhere(dialect, others)
  const hasRelatedFilters = [others.flows, others.flow_runs, others.deployments, others.work_pools, others.work_pool_queues, others.work_queues].some(
    Boolean,
  )
  return all([
    ...whenGiven(task_runs, (filter) => taskRunWhere(dialect, filter)),
    ...flowRunIdCondition(dialect, others.flow_runs),
    ...(!hasRelatedFilters
      ? []
      : from === 'flow runs'
        ? [sql<boolean>`task_run.flow_run_id in (select flow_run.id from flow_run where ${flowRunCondition})`]
        : [exists(sql`flow_run`, [sql`flow_run.id = task_run.flow_run_id`, flowRunCondition])]),
  ])
}

/**
 * Repeats a filter on flow run ids as a condition on `task_run.flow_run_id`, so that the index of that column is used. Without it, listing the task
 * runs of one flow run among 300,000 took a third of a second.
 */
function flowRunIdCondition(dialect: Dialect, filter: FlowRunFilter | null | undefined): Condition[] {
  const ids = filter?.operator === 'or_' ? null : filter?.id?.any_
  return ids ? [dialect.isIn(sql.ref('task_run.flow_run_id'), ids, 'uuid')] : []
}

/** The condition of the filters on queues and pools. Undefined without such filters. */
export function queuesWhere(dialect: Dialect, filters: RelatedFilters): Condition | undefined {
  const conditions = queueConditions(dialect, filters)
  return conditions.length === 0 ? undefined : all(conditions)
}

export function deploymentsWhere(dialect: Dialect, filters: RelatedFilters): Condition {
  const runs = runConditions(dialect, filters)
  return all([
    ...whenGiven(filters.deployments, (filter) => deploymentWhere(dialect, filter)),
    ...whenGiven(filters.flows, (filter) => exists(sql`flow`, [sql`flow.id = deployment.flow_id`, flowWhere(dialect, filter)])),
    ...(runs.length === 0 ? [] : [exists(sql`flow_run`, [sql`flow_run.deployment_id = deployment.id`, ...runs])]),
    ...queueExists(dialect, filters, sql`work_queue.id = deployment.work_queue_id`),
  ])
}

/** One run must match both the filter on runs and the filter on task runs. */
function runConditions(dialect: Dialect, { flow_runs, task_runs }: RelatedFilters): Condition[] {
  return [
    ...whenGiven(flow_runs, (filter) => flowRunWhere(dialect, filter)),
    ...whenGiven(task_runs, (filter) => exists(sql`task_run`, [sql`task_run.flow_run_id = flow_run.id`, taskRunWhere(dialect, filter)])),
  ]
}

function deploymentConditions(dialect: Dialect, filters: RelatedFilters): Condition[] {
  return [
    ...whenGiven(filters.deployments, (filter) => deploymentWhere(dialect, filter)),
    ...queueExists(dialect, filters, sql`work_queue.id = deployment.work_queue_id`),
  ]
}

const queueConditions = (dialect: Dialect, filters: RelatedFilters): Condition[] => [
  ...whenGiven(filters.work_pool_queues ?? filters.work_queues, (filter) => workQueueWhere(dialect, filter)),
  ...whenGiven(filters.work_pools, (filter) => exists(sql`work_pool`, [sql`work_pool.id = work_queue.work_pool_id`, workPoolWhere(dialect, filter)])),
]

function queueExists(dialect: Dialect, filters: RelatedFilters, joined: Condition): Condition[] {
  const conditions = queueConditions(dialect, filters)
  return conditions.length === 0 ? [] : [exists(sql`work_queue`, [joined, ...conditions])]
}

import type { FlowRunRetryPolicy, FlowRunSnapshot } from '../orchestration/rule.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Dialect } from '../storage/dialect.ts'
import { columnList, columnNames, type Row } from '../storage/tables.ts'
import type { FlowRunEventContext } from './flow-run-events.ts'
import { parseCurrentState, runTimesOf, toStateColumns } from './run-state.ts'

export type FlowRunRow = Row<'flow_run'>

/** A run with the names of its work queue and work pool. */
export interface FlowRunWithPool extends FlowRunRow {
  /** The current name of the queue. `work_queue_name` is the requested name and remains after the queue is deleted. */
  readonly queue_name?: string | null
  readonly work_pool_id: string | null
  readonly work_pool_name: string | null
}

export const poolColumns = `work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name`
export const poolJoin = `left join work_queue on work_queue.id = flow_run.work_queue_id left join work_pool on work_pool.id = work_queue.work_pool_id`

const byKeys = statement(
  (dialect) =>
    `select ${columnList('flow_run')}, ${poolColumns} from flow_run ${poolJoin} where ${dialect.inList('flow_run.idempotency_key', '$1', 'text')} and flow_run.idempotency_key is not null`,
)

/** Keys are unique per flow: the caller selects by flow. */
export const readFlowRunsByKey = (db: Db, keys: readonly string[]): Promise<FlowRunWithPool[]> =>
  db.all<FlowRunWithPool>(byKeys, [db.dialect.list(keys)])

/** These may be large, and no transition looks at them. */
const unread = ['parameters', 'context', 'labels', 'job_variables'] as const
const readColumns = columnNames('flow_run').filter((name) => !(unread as readonly string[]).includes(name))

/** The row of one query with all that a transition needs: the run, the limit of its deployment, and the related resources of its events. */
export interface LoadedFlowRun extends Readonly<Omit<FlowRunRow, (typeof unread)[number]>> {
  readonly flow_name: string
  readonly flow_tags: string
  readonly known_deployment_id: string | null
  readonly deployment_name: string | null
  readonly deployment_tags: string | null
  readonly concurrency_options: string | null
  readonly limit_id: string | null
  readonly limit_name: string | null
  readonly limit_slots: number | null
  readonly queue_id: string | null
  readonly queue_name: string | null
  readonly pool_id: string | null
  readonly pool_name: string | null
  readonly pool_type: string | null
  readonly task_id: string | null
  readonly task_name: string | null
  readonly task_tags: string | null
}

const byIds = (
  dialect: Dialect,
  except = '',
): string => `select ${readColumns.map((name) => `flow_run.${name}`).join(', ')}, flow.name as flow_name, flow.tags as flow_tags,
    deployment.id as known_deployment_id, deployment.name as deployment_name, deployment.tags as deployment_tags, deployment.concurrency_options,
    concurrency_limit.id as limit_id, concurrency_limit.name as limit_name, concurrency_limit.slots as limit_slots,
    work_queue.id as queue_id, work_queue.name as queue_name, work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type,
    task_run.id as task_id, task_run.name as task_name, task_run.tags as task_tags
  from flow_run
  join flow on flow.id = flow_run.flow_id
  left join deployment on deployment.id = flow_run.deployment_id
  left join concurrency_limit on concurrency_limit.id = deployment.concurrency_limit_id
  left join work_queue on work_queue.id = flow_run.work_queue_id
  left join work_pool on work_pool.id = work_queue.work_pool_id
  left join task_run on task_run.id = flow_run.parent_task_run_id
  where ${dialect.inList('flow_run.id', '$1', 'uuid')}
  order by flow_run.id ${dialect.forChange && `${dialect.forChange} of flow_run ${except}`}`
const waiting = statement((dialect) => byIds(dialect))
const exceptHeld = statement((dialect) => byIds(dialect, dialect.exceptHeld))

/** Reads the runs and locks them until the commit, in the order of their ids; without those that somebody else holds, unless it may wait for them. */
export const lockFlowRuns = (tx: Tx, ids: readonly string[], waits: boolean): Promise<LoadedFlowRun[]> =>
  tx.all<LoadedFlowRun>(waits ? waiting : exceptHeld, [tx.dialect.list(ids)])

export function toFlowRunSnapshot(row: LoadedFlowRun): FlowRunSnapshot {
  return {
    id: row.id,
    state: parseCurrentState(row),
    attempt: row.attempt,
    ...runTimesOf(row),
    deployment_id: row.deployment_id,
    infrastructure_pid: row.infrastructure_pid,
    parent_task_run_id: row.parent_task_run_id,
    empirical_policy: JSON.parse(row.empirical_policy) as FlowRunRetryPolicy,
    deploymentExists: row.known_deployment_id !== null,
    deploymentLimit: toDeploymentLimit(row),
  }
}

interface ConcurrencyOptions {
  readonly collision_strategy?: 'ENQUEUE' | 'CANCEL_NEW'
  readonly grace_period_seconds?: number | null
}

function toDeploymentLimit(
  row: Pick<LoadedFlowRun, 'limit_id' | 'limit_name' | 'limit_slots' | 'concurrency_options'>,
): FlowRunSnapshot['deploymentLimit'] {
  if (row.limit_id === null) return null
  const options = JSON.parse(row.concurrency_options ?? '{}') as ConcurrencyOptions
  return {
    limit_id: row.limit_id,
    name: row.limit_name as string,
    slots: row.limit_slots as number,
    collision_strategy: options.collision_strategy ?? 'ENQUEUE',
    grace_period_seconds: options.grace_period_seconds ?? null,
  }
}

export function toEventContext(row: LoadedFlowRun): FlowRunEventContext {
  return {
    flow: { id: row.flow_id, name: row.flow_name, tags: row.flow_tags },
    deployment:
      row.known_deployment_id === null
        ? null
        : { id: row.known_deployment_id, name: row.deployment_name as string, tags: row.deployment_tags as string },
    workQueue: row.queue_id === null ? null : { id: row.queue_id, name: row.queue_name as string },
    workPool: row.pool_id === null ? null : { id: row.pool_id, name: row.pool_name as string, type: row.pool_type as string },
    parentTask: row.task_id === null ? null : { id: row.task_id, name: row.task_name as string, tags: row.task_tags as string },
    createdBy: row.created_by === null ? null : (JSON.parse(row.created_by) as FlowRunEventContext['createdBy']),
  }
}

/** The columns that a transition writes. */
export function flowRunColumns(run: FlowRunSnapshot) {
  return {
    attempt: run.attempt,
    ...runTimesOf(run),
    empirical_policy: JSON.stringify(run.empirical_policy),
    ...toStateColumns(run.state),
  } satisfies Partial<FlowRunRow>
}

import type { Micros } from '../../lib/time.ts'
import type { ReceivedState } from '../../orchestration/states.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { taskRunTransitionBatch } from '../task-runs/set-state.ts'
import { flowRunTransitionBatch } from './set-state.ts'

const unfinished = `('SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'CANCELLING')`
/** One with a deployment runs on infrastructure of its own: it is asked to stop, once. */
const stoppable = `child.state_type in ${unfinished} and (child.deployment_id is null or child.state_type <> 'CANCELLING')`

const stuck = statement(
  (dialect) =>
    `select id from flow_run where state_type = 'CANCELLING' and state_timestamp <= $1 order by state_timestamp, id limit $2 ${dialect.skipLocked}`,
)
// Without an order: with one, PostgreSQL would rather walk all tasks by id than begin with the few runs that were cancelled.
const remainingTasks = statement(
  (dialect) => `select task_run.id from flow_run join task_run on task_run.flow_run_id = flow_run.id
    where flow_run.state_type = 'CANCELLED' and flow_run.state_timestamp >= $1 and (task_run.state_type is null or task_run.state_type in ${unfinished})
    limit $2 ${dialect.skipLocked && 'for update of task_run skip locked'}`,
)
const remainingSubflows = statement(
  `select child.id from flow_run
    join task_run on task_run.flow_run_id = flow_run.id
    join flow_run child on child.parent_task_run_id = task_run.id
    where flow_run.state_type = 'CANCELLED' and flow_run.state_timestamp >= $1 and ${stoppable} limit $2`,
)
const lockRemaining = statement(
  (dialect) =>
    `select child.id, child.deployment_id from flow_run child where ${dialect.inList('child.id', '$1', 'uuid')} and ${stoppable} order by child.id ${dialect.skipLocked}`,
)

const cancelledWithParent: ReceivedState = { type: 'CANCELLED', message: 'The flow run that it belongs to was cancelled.' }
const cancellationTimedOut: ReceivedState = {
  type: 'CANCELLED',
  message: 'The cancellation took too long: nobody confirmed that the run had stopped.',
}

/** Runs that have been on their way to Cancelled since before `since` get there: whoever was to stop them never told. */
export const finishStuckCancellations =
  (context: ServerContext, since: Micros, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string }>(stuck, [since, limit])
    if (runs.length > 0)
      await flowRunTransitionBatch(context)(
        tx,
        runs.map(({ id }) => ({ id, state: cancellationTimedOut, force: true })),
      )
    return runs.length
  }

/** Ends the tasks of flow runs that were cancelled after `since`. */
export const cancelRemainingTasks =
  (context: ServerContext, since: Micros, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const tasks = await tx.all<{ id: string }>(remainingTasks, [since, limit])
    if (tasks.length > 0)
      await taskRunTransitionBatch(context)(
        tx,
        tasks.map(({ id }) => ({ id, state: cancelledWithParent, force: true })),
      )
    return tasks.length
  }

/** The unfinished subflows of flow runs that were cancelled after `since`. */
export const listRemainingSubflows = async (db: Db, since: Micros, limit: number): Promise<string[]> =>
  (await db.all<{ id: string }>(remainingSubflows, [since, limit])).map(({ id }) => id)

/** Cancels subflows; how many were. */
export const cancelSubflows =
  (context: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string; deployment_id: string | null }>(lockRemaining, [tx.dialect.list(ids)])
    if (runs.length === 0) return 0
    const results = await flowRunTransitionBatch(context)(
      tx,
      runs.map(({ id, deployment_id }) => ({
        id,
        state: deployment_id === null ? cancelledWithParent : { ...cancelledWithParent, type: 'CANCELLING' as const },
      })),
    )
    return results.filter((result) => !(result instanceof Error) && result.written).length
  }

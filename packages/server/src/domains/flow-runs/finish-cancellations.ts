import type { Micros } from '../../lib/time.ts'
import type { ReceivedState } from '../../orchestration/states.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'

const unfinished = `('SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'CANCELLING')`
/** A subflow with a deployment has its own infrastructure, so it is set to Cancelling once. */
const stoppable = `child.state_type in ${unfinished} and (child.deployment_id is null or child.state_type <> 'CANCELLING')`

const stuck = statement(
  (dialect) =>
    `select id from flow_run where state_type = 'CANCELLING' and state_timestamp <= $1 order by state_timestamp, id limit $2 ${dialect.skipLocked}`,
)
// No `order by`: with one, PostgreSQL scans all task runs by id instead of starting with the few cancelled runs.
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

const cancelledWithParent: ReceivedState = { type: 'CANCELLED', message: 'The parent flow run was cancelled.' }
const cancellationTimedOut: ReceivedState = {
  type: 'CANCELLED',
  message: 'The cancellation timed out: no worker confirmed that the run stopped.',
}

/** Cancels runs that have been cancelling since before `since`: no worker confirmed that they stopped. */
export const finishStuckCancellations =
  (context: ActingContext, since: Micros, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string }>(stuck, [since, limit])
    if (runs.length > 0)
      await changeRunsIn(
        context,
        tx,
        runs.map(({ id }) => ({ kind: 'propose_flow_run' as const, actor: context.actor, id, state: cancellationTimedOut, force: true })),
      )
    return runs.length
  }

/** Cancels the task runs of flow runs that were cancelled after `since`. */
export const cancelRemainingTasks =
  (context: ActingContext, since: Micros, limit: number) =>
  async (tx: Tx): Promise<number> => {
    const tasks = await tx.all<{ id: string }>(remainingTasks, [since, limit])
    if (tasks.length > 0)
      await changeRunsIn(
        context,
        tx,
        tasks.map(({ id }) => ({ kind: 'propose_task_run' as const, actor: context.actor, id, state: cancelledWithParent, force: true })),
      )
    return tasks.length
  }

/** The unfinished subflows of flow runs that were cancelled after `since`. */
export const listRemainingSubflows = async (db: Db, since: Micros, limit: number): Promise<string[]> =>
  (await db.all<{ id: string }>(remainingSubflows, [since, limit])).map(({ id }) => id)

/** Cancels subflows and returns their number. */
export const cancelSubflows =
  (context: ActingContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    const runs = await tx.all<{ id: string; deployment_id: string | null }>(lockRemaining, [tx.dialect.list(ids)])
    if (runs.length === 0) return 0
    const results = await changeRunsIn(
      context,
      tx,
      runs.map(({ id, deployment_id }) => ({
        kind: 'propose_flow_run' as const,
        actor: context.actor,
        id,
        state: deployment_id === null ? cancelledWithParent : { ...cancelledWithParent, type: 'CANCELLING' as const },
      })),
    )
    return results.filter((result) => !(result instanceof Error) && result.written).length
  }

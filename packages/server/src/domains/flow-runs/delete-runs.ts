import type { Micros } from '../../lib/time.ts'
import { earliestTime } from '../../lib/time.ts'
import { deleteFlowRuns, deleteSomeTaskRuns } from '../../runs/delete-runs.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { removeArtifact } from '../artifacts/change-artifact.ts'
import { replanRemovedRuns } from '../deployments/replan.ts'
import { trimLogsOfRuns } from '../logs/trim-logs.ts'

/** Deletes runs, replans the deployments of those that were planned, and returns the number of deleted runs. */
export const removeFlowRuns =
  ({ clock }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    // Locks deployments, which a change of a deployment locks before its runs.
    await replanRemovedRuns(tx, ids, clock.now())
    return deleteFlowRuns(tx, ids)
  }

/**
 * Runs that retention deletes. Without subflows: they lose their parent when it is deleted, and are then deleted on their own. Must equal the condition of the
 * index `flow_run_finished`, which SQLite uses only then.
 */
export const isDeletable = `parent_task_run_id is null
  and (state_type = 'COMPLETED' or state_type = 'FAILED' or state_type = 'CANCELLED' or state_type = 'CRASHED')`

const finished = statement(`select id from flow_run where ${isDeletable} and end_time < $1 and end_time > $3 order by end_time, id limit $2`)
const someArtifacts = statement((dialect) => `select id from artifact where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2`)

/** Runs per step. Each may have thousands of task runs and logs. */
const runsPerStep = 20

/**
 * One step of the deletion of runs that ended between two times: up to `limit` rows that belong to the oldest runs, or the runs themselves if no such
 * rows are left. Returns the number of deleted rows, and how many of them were runs.
 */
export const trimFlowRuns =
  (context: ServerContext, before: Micros, limit: number, after: Micros = earliestTime) =>
  async (tx: Tx): Promise<{ rows: number; runs: number }> => {
    const ids = (await tx.all<{ id: string }>(finished, [before, runsPerStep, after])).map(({ id }) => id)
    if (ids.length === 0) return { rows: 0, runs: 0 }
    const logs = await trimLogsOfRuns(tx, ids, limit)
    if (logs > 0) return { rows: logs, runs: 0 }
    const artifacts = await tx.all<{ id: string }>(someArtifacts, [tx.dialect.list(ids), limit])
    for (const { id } of artifacts) await removeArtifact(context, id)(tx)
    if (artifacts.length > 0) return { rows: artifacts.length, runs: 0 }
    const taskRuns = await deleteSomeTaskRuns(tx, ids, limit)
    if (taskRuns > 0) return { rows: taskRuns, runs: 0 }
    const runs = await removeFlowRuns(context, ids)(tx)
    return { rows: runs, runs }
  }

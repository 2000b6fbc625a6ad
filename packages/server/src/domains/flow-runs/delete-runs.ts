import type { Micros } from '../../lib/time.ts'
import { earliestTime } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { removeArtifact } from '../artifacts/change-artifact.ts'
import { replanRemovedRuns } from '../deployments/replan.ts'
import { deleteLogsOfFlowRuns } from '../logs/store.ts'
import { trimLogsOfRuns } from '../logs/trim-logs.ts'
import { deleteVerdicts } from '../run-states/store.ts'
import { deleteFlowRuns } from './store.ts'

const releaseSlots = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('holder_id', '$1', 'text')}`)

/** Deletes runs with their logs and verdicts, releases their slots, and returns the number of deleted runs. */
export const removeFlowRuns =
  ({ clock }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    if ((await tx.run(releaseSlots, [tx.dialect.list(ids)])) > 0) tx.notify('slots')
    await replanRemovedRuns(tx, ids, clock.now())
    await deleteLogsOfFlowRuns(tx, ids)
    await deleteVerdicts(tx, ids)
    return deleteFlowRuns(tx, ids)
  }

/**
 * Runs that retention deletes. Without subflows: they lose their parent when it is deleted, and are then deleted on their own. Must equal the condition of the
 * index `flow_run_finished`, which SQLite uses only then.
 */
export const isDeletable = `parent_task_run_id is null
  and (state_type = 'COMPLETED' or state_type = 'FAILED' or state_type = 'CANCELLED' or state_type = 'CRASHED')`

const finished = statement(`select id from flow_run where ${isDeletable} and end_time < $1 and end_time > $3 order by end_time, id limit $2`)
const someTaskRuns = statement(
  (dialect) => `delete from task_run where id in (select id from task_run where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2)`,
)
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
    const list = tx.dialect.list(ids)
    const logs = await trimLogsOfRuns(tx, ids, limit)
    if (logs > 0) return { rows: logs, runs: 0 }
    const artifacts = await tx.all<{ id: string }>(someArtifacts, [list, limit])
    for (const { id } of artifacts) await removeArtifact(context, id)(tx)
    if (artifacts.length > 0) return { rows: artifacts.length, runs: 0 }
    const taskRuns = await tx.run(someTaskRuns, [list, limit])
    if (taskRuns > 0) return { rows: taskRuns, runs: 0 }
    const runs = await removeFlowRuns(context, ids)(tx)
    return { rows: runs, runs }
  }

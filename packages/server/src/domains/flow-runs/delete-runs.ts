import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { earliestTime } from '../../storage/trimming.ts'
import { removeArtifact } from '../artifacts/change-artifact.ts'
import { replanRemovedRuns } from '../deployments/replan.ts'
import { trimLogsOfRuns } from '../logs/trim-logs.ts'
import { deleteFlowRuns } from './store.ts'

const releaseSlots = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('holder_id', '$1', 'text')}`)

const removeVerdicts = statement((dialect) => `delete from verdict where ${dialect.inList('run_id', '$1', 'uuid')}`)
const removeLogs = statement((dialect) => `delete from log where ${dialect.inList('flow_run_id', '$1', 'uuid')}`)

/** Deletes runs with all that is theirs, their logs too, and gives back the slots they hold; how many there were. */
export const removeFlowRuns =
  ({ clock }: ServerContext, ids: readonly string[]) =>
  async (tx: Tx): Promise<number> => {
    if ((await tx.run(releaseSlots, [tx.dialect.list(ids)])) > 0) tx.notify('slots')
    await replanRemovedRuns(tx, ids, clock.now())
    await tx.run(removeLogs, [tx.dialect.list(ids)])
    await tx.run(removeVerdicts, [tx.dialect.list(ids)])
    return deleteFlowRuns(tx, ids)
  }

/** A subflow goes after the run that it was part of, of which it is then no part any more. */
const finished = statement(
  `select id from flow_run where parent_task_run_id is null and state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and end_time < $1 and end_time > $3
    order by end_time, id limit $2`,
)
const someTaskRuns = statement(
  (dialect) => `delete from task_run where id in (select id from task_run where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2)`,
)
const someArtifacts = statement((dialect) => `select id from artifact where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2`)
const verdicts = statement((dialect) => `delete from verdict where ${dialect.inList('run_id', '$1', 'uuid')}`)

/** Runs taken at a time; their task runs and logs may be thousands. */
const runsAtOnce = 20

/**
 * One step towards removing runs that ended between two instants: so many rows of what belongs to the oldest of them, and the runs themselves
 * when nothing is left. How many rows went, and how many of them were runs.
 */
export const trimFlowRuns =
  (context: ServerContext, before: Micros, limit: number, after: Micros = earliestTime) =>
  async (tx: Tx): Promise<{ rows: number; runs: number }> => {
    const ids = (await tx.all<{ id: string }>(finished, [before, runsAtOnce, after])).map(({ id }) => id)
    if (ids.length === 0) return { rows: 0, runs: 0 }
    const list = tx.dialect.list(ids)
    const logs = await trimLogsOfRuns(tx, ids, limit)
    if (logs > 0) return { rows: logs, runs: 0 }
    const artifacts = await tx.all<{ id: string }>(someArtifacts, [list, limit])
    for (const { id } of artifacts) await removeArtifact(context, id)(tx)
    if (artifacts.length > 0) return { rows: artifacts.length, runs: 0 }
    const taskRuns = await tx.run(someTaskRuns, [list, limit])
    if (taskRuns > 0) return { rows: taskRuns, runs: 0 }
    await tx.run(verdicts, [list])
    const runs = await removeFlowRuns(context, ids)(tx)
    return { rows: runs, runs }
  }

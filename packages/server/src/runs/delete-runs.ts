import type { Micros } from '../lib/time.ts'
import { statement, type Tx } from '../storage/database.ts'
import type { Dialect } from '../storage/dialect.ts'
import { releaseSlotsOfFlowRuns, releaseSlotsOfHolders } from './slots/release-slots.ts'

// Deletions are no commands of the batch: foreign keys delete with a run what nobody has loaded, and most deletions are portions or conditions (ADR 0049).

const flowRuns = statement((dialect) => `delete from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const taskRun = statement('delete from task_run where id = $1')
const someTaskRuns = statement(
  (dialect) => `delete from task_run where id in (select id from task_run where ${dialect.inList('flow_run_id', '$1', 'uuid')} limit $2)`,
)
const logsOfFlowRuns = statement((dialect) => `delete from log where ${dialect.inList('flow_run_id', '$1', 'uuid')}`)
const logsOfTaskRun = statement('delete from log where task_run_id = $1')
const verdicts = statement((dialect) => `delete from verdict where ${dialect.inList('run_id', '$1', 'uuid')}`)

/** Runs that await a slot were already delivered to a worker and are not planned again. */
const unstartedOf = (dialect: Dialect): string => `delete from flow_run where ${dialect.inList('deployment_id', '$1', 'uuid')}
  and state_type = 'SCHEDULED' and state_name <> 'AwaitingConcurrencySlot' and run_count = 0`
const unstarted = statement(unstartedOf)
const planned = statement((dialect) => `${unstartedOf(dialect)} and auto_scheduled`)
const plannedAfter = statement((dialect) => `${unstartedOf(dialect)} and auto_scheduled and next_scheduled_start_time > $2`)

/** Deletes flow runs with all that belongs to them, releases their slots and those of their task runs, and returns the number of deleted runs. Subflows stay. */
export async function deleteFlowRuns(tx: Tx, ids: readonly string[]): Promise<number> {
  const list = tx.dialect.list(ids)
  await releaseSlotsOfFlowRuns(tx, ids)
  await tx.run(logsOfFlowRuns, [list])
  await tx.run(verdicts, [list])
  return tx.run(flowRuns, [list])
}

/** Deletes up to `limit` task runs of flow runs that are about to be deleted, which may have thousands. Returns their number. */
export async function deleteSomeTaskRuns(tx: Tx, flowRunIds: readonly string[], limit: number): Promise<number> {
  await releaseSlotsOfFlowRuns(tx, flowRunIds)
  return tx.run(someTaskRuns, [tx.dialect.list(flowRunIds), limit])
}

/** Deletes a task run with its verdicts and logs, which the flow run could no longer assign, and releases its slots. Returns false if it does not exist. */
export async function deleteTaskRun(tx: Tx, id: string): Promise<boolean> {
  if ((await tx.run(taskRun, [id])) === 0) return false
  await releaseSlotsOfHolders(tx, [id])
  await tx.run(logsOfTaskRun, [id])
  await tx.run(verdicts, [tx.dialect.list([id])])
  return true
}

/** Deletes the runs of deployments that have not started, including manually created ones. */
export const deleteUnstartedRuns = (tx: Tx, deploymentIds: readonly string[]): Promise<number> => tx.run(unstarted, [tx.dialect.list(deploymentIds)])

/** Deletes runs that the scheduler created: all, or those after a time. */
export const deletePlannedRuns = (tx: Tx, deploymentId: string, after?: Micros): Promise<number> =>
  after === undefined ? tx.run(planned, [tx.dialect.list([deploymentId])]) : tx.run(plannedAfter, [tx.dialect.list([deploymentId]), after])

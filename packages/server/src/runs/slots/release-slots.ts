import { parseUuid } from '../../lib/ids.ts'
import { type Db, type Statement, statement, type Tx } from '../../storage/database.ts'

const releaseHolders = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('holder_id', '$1', 'text')}`)
const holders = statement(
  `select distinct holder_id from concurrency_lease where holder_id is not null and (holder_type = 'flow_run' or holder_type = 'task_run')`,
)

const unfinished = (table: string) => `(${table}.state_type is null or ${table}.state_type not in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED'))`
const lockRuns = statement((dialect) => `select id from flow_run where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)
const lockTasksOfRuns = statement(
  (dialect) =>
    `select id from task_run where ${dialect.inList('flow_run_id', '$1', 'uuid')} and ${unfinished('task_run')} order by id ${dialect.forUpdate}`,
)
const lockRunsOfFlows = statement(
  (dialect) =>
    `select id from flow_run where ${dialect.inList('flow_id', '$1', 'uuid')} and ${unfinished('flow_run')} order by id ${dialect.forUpdate}`,
)
const tasksOfRuns = statement(
  (dialect) => `select id from task_run where ${dialect.inList('id', '$1', 'uuid')} and ${dialect.inList('flow_run_id', '$2', 'uuid')}`,
)
const runsOfFlows = statement(
  (dialect) => `select id from flow_run where ${dialect.inList('id', '$1', 'uuid')} and ${dialect.inList('flow_id', '$2', 'uuid')}`,
)
const tasksOfFlows = statement(
  (dialect) => `select task_run.id from task_run join flow_run on flow_run.id = task_run.flow_run_id
    where ${dialect.inList('task_run.id', '$1', 'uuid')} and ${dialect.inList('flow_run.flow_id', '$2', 'uuid')}`,
)

/** Releases everything that the runs hold, and wakes those that wait for it. */
export async function releaseSlotsOfHolders(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0 && (await tx.run(releaseHolders, [tx.dialect.list(ids)])) > 0) tx.notify('slots')
}

/**
 * Releases the slots of flow runs and of their task runs, which are about to be deleted with them. The rows are locked first: a transition that is under way
 * ends before, with the slot that it takes, and none follows. There are few holders, so they are looked up among the runs, not the other way round.
 */
export async function releaseSlotsOfFlowRuns(tx: Tx, flowRunIds: readonly string[]): Promise<void> {
  const list = tx.dialect.list(flowRunIds)
  const [, , held] = await Promise.all([tx.all(lockRuns, [list]), tx.all(lockTasksOfRuns, [list]), readHolders(tx)])
  await releaseSlotsOfHolders(tx, [...flowRunIds, ...(await filterHolders(tx, tasksOfRuns, held, flowRunIds))])
}

/** The same for all runs of flows. */
export async function releaseSlotsOfFlows(tx: Tx, flowIds: readonly string[]): Promise<void> {
  const locked = await tx.all<{ id: string }>(lockRunsOfFlows, [tx.dialect.list(flowIds)])
  const [, held] = await Promise.all([tx.all(lockTasksOfRuns, [tx.dialect.list(locked.map(({ id }) => id))]), readHolders(tx)])
  const [runs, tasks] = await Promise.all([runsOfFlows, tasksOfFlows].map((query) => filterHolders(tx, query, held, flowIds)))
  await releaseSlotsOfHolders(tx, [...(runs ?? []), ...(tasks ?? [])])
}

const readHolders = async (db: Db): Promise<string[]> =>
  (await db.all<{ holder_id: string }>(holders)).flatMap(({ holder_id }) => parseUuid(holder_id) ?? [])

async function filterHolders(db: Db, query: Statement, held: readonly string[], owners: readonly string[]): Promise<string[]> {
  if (held.length === 0) return []
  return (await db.all<{ id: string }>(query, [db.dialect.list(held), db.dialect.list(owners)])).map(({ id }) => id)
}

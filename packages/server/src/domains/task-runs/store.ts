import type { StateType } from '@millrace/contracts/state.ts'
import type { TaskRun, TaskRunResponse, TaskRunSort } from '@millrace/contracts/task-run.ts'
import { sql } from 'kysely'
import { notFound } from '../../errors.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Db, type Statement, statement, type Tx } from '../../storage/database.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import type { Row } from '../../storage/tables.ts'
import { deleteLogsOfTaskRun } from '../logs/store.ts'
import type { RelatedFilters } from '../relations.ts'
import { countByStates } from '../run-counts.ts'
import { currentStateToResponse, estimatedRunTime, estimatedStartTimeDelta } from '../run-state.ts'
import { deleteVerdicts } from '../run-states/store.ts'
import { taskRunOrder } from './filter.ts'
import { countedTasks, matchingTasks, onlyStates, splitSearch, stateRangesQuery } from './search-tasks.ts'

export type TaskRunRow = Row<'task_run'>

const byId = statement('select * from task_run where id = $1')
const byIds = statement((dialect) => `select * from task_run where ${dialect.inList('id', '$1', 'uuid')}`)
const byKeys = statement((dialect) => dialect.selectByKeys('task_run', { flow_run_id: 'uuid', task_key: 'text', dynamic_key: 'text' }))
/** Several task runs without a flow run may have the same keys; the oldest comes last. */
const looseByKeys = statement(
  (dialect) =>
    `${dialect.selectByKeys('task_run', { task_key: 'text', dynamic_key: 'text' }, 'flow_run_id is null')} order by task_run.created desc, task_run.id desc`,
)

export const readTaskRun = (db: Db, id: string): Promise<TaskRunRow | undefined> => db.first<TaskRunRow>(byId, [id])
export const readTaskRuns = (db: Db, ids: readonly string[]): Promise<TaskRunRow[]> => db.all<TaskRunRow>(byIds, [db.dialect.list(ids)])

export interface TaskRunKey {
  readonly flow_run_id?: string | null
  readonly task_key: string
  readonly dynamic_key: string
}

/** The key as text, for maps. */
export const taskRunKey = ({ flow_run_id, task_key, dynamic_key }: TaskRunKey): string => JSON.stringify([flow_run_id ?? null, task_key, dynamic_key])

export async function readTaskRunsByKey(db: Db, keys: readonly TaskRunKey[]): Promise<TaskRunRow[]> {
  const owned: string[][] = []
  const loose: string[][] = []
  for (const { flow_run_id, task_key, dynamic_key } of keys) {
    if (flow_run_id) owned.push([flow_run_id, task_key, dynamic_key])
    else loose.push([task_key, dynamic_key])
  }
  const read = (query: Statement, wanted: string[][]) => (wanted.length > 0 ? db.all<TaskRunRow>(query, db.dialect.bindKeys(wanted)) : [])
  return (await Promise.all([read(byKeys, owned), read(looseByKeys, loose)])).flat()
}

export const updateTaskRun = (tx: Tx, row: Partial<TaskRunRow>): Promise<number> => tx.update('task_run', [row])

const lazy = lazyColumns('task_run', ['state_data', 'task_inputs', 'state_message'])

export async function listTaskRuns(
  db: Db,
  filters: RelatedFilters,
  options: { sort: TaskRunSort; limit: number; offset: number },
): Promise<TaskRunRow[]> {
  const { sort, limit, offset } = options
  const order = taskRunOrder[sort]
  const columns = selectLazyColumns(lazy, db)
  const matching = matchingTasks(db, filters, order)
  const page = splitSearch(db.dialect, filters)
    ? sql`select task_run.id from ${matching} limit ${sql.lit(limit)} offset ${offset}`
    : await stateRangesQuery(db, filters, options)
  const query = page
    ? sql<TaskRunRow>`select ${columns} from (${page}) page cross join task_run where task_run.id = page.id order by ${order}`
    : sql<TaskRunRow>`select ${columns} from ${matching} order by ${order} limit ${sql.lit(limit)} offset ${offset}`
  return lazy.fetch(db, (await query.execute(db.kysely)).rows)
}

/** The totals of states are read from `db`, everything else from `longReads`. */
export async function countTaskRuns(db: Db, filters: RelatedFilters, longReads = db): Promise<number> {
  const states = onlyStates(db.dialect, filters)
  if (states) return countByStates(db, 'task_run', states)
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${countedTasks(longReads, filters)}`.execute(longReads.kysely)
  return rows[0]?.count ?? 0
}

export function toTaskRunResponse(row: TaskRunRow, now: Micros): TaskRun {
  return {
    ...toTaskRunSummary(row, now),
    dynamic_key: row.dynamic_key,
    cache_key: row.cache_key,
    cache_expiration: formatNullableTime(row.cache_expiration),
    labels: rawJson(row.labels),
    state_type: row.state_type as StateType | null,
    state_name: row.state_name,
    run_count: row.run_count,
    flow_run_run_count: row.flow_run_run_count,
    expected_start_time: formatNullableTime(row.expected_start_time),
    next_scheduled_start_time: formatNullableTime(row.next_scheduled_start_time),
  }
}

/** The reduced fields of paginated lists. */
export function toTaskRunSummary(row: TaskRunRow, now: Micros): TaskRunResponse {
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    flow_run_id: row.flow_run_id,
    task_key: row.task_key,
    state_id: row.state_id,
    state: currentStateToResponse(row),
    task_version: row.task_version,
    task_inputs: rawJson(row.task_inputs),
    empirical_policy: rawJson(row.empirical_policy),
    tags: rawJson(row.tags),
    start_time: formatNullableTime(row.start_time),
    end_time: formatNullableTime(row.end_time),
    total_run_time: row.total_run_time / MICROS_PER_SECOND,
    estimated_run_time: estimatedRunTime(row, now) / MICROS_PER_SECOND,
    estimated_start_time_delta: estimatedStartTimeDelta(row, now) / MICROS_PER_SECOND,
  }
}

const remove = statement('delete from task_run where id = $1')

/** Deletes a task run with its logs and verdicts. Its logs also belong to the flow run, where they could no longer be assigned. */
export const deleteTaskRun =
  (id: string) =>
  async (tx: Tx): Promise<void> => {
    if ((await tx.run(remove, [id])) === 0) throw notFound('Task run')
    await deleteLogsOfTaskRun(tx, id)
    await deleteVerdicts(tx, [id])
  }

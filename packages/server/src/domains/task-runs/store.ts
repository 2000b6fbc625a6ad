import type { StateType } from '@millrace/contracts/state.ts'
import type { TaskRun, TaskRunResponse, TaskRunSort } from '@millrace/contracts/task-run.ts'
import { type RawBuilder, sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { TaskRunRow } from '../../runs/task-run-rows.ts'
import { type Db, statement } from '../../storage/database.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import { columnList } from '../../storage/tables.ts'
import type { RelatedFilters } from '../relations.ts'
import { countByStates } from '../run-counts.ts'
import { estimatedRunTime, estimatedStartTimeDelta } from '../run-states/run-times.ts'
import { currentStateToResponse } from '../run-states/state-responses.ts'
import { durationOrder, isDurationSort, taskRunOrder } from './filter.ts'
import { countedTasks, durationPage, matchingTasks, onlyStates, splitSearch, stateEndsQuery, stateRangesQuery } from './search-tasks.ts'

const byId = statement(`select ${columnList('task_run')} from task_run where id = $1`)
const byIds = statement((dialect) => `select ${columnList('task_run')} from task_run where ${dialect.inList('id', '$1', 'uuid')}`)

export const readTaskRun = (db: Db, id: string): Promise<TaskRunRow | undefined> => db.first<TaskRunRow>(byId, [id])
export const readTaskRuns = (db: Db, ids: readonly string[]): Promise<TaskRunRow[]> => db.all<TaskRunRow>(byIds, [db.dialect.list(ids)])

const lazy = lazyColumns('task_run', ['state_data', 'task_inputs', 'state_message'])

export async function listTaskRuns(
  db: Db,
  filters: RelatedFilters,
  options: { sort: TaskRunSort; limit: number; offset: number; now: Micros },
): Promise<TaskRunRow[]> {
  const { sort, limit, offset, now } = options
  const columns = selectLazyColumns(lazy, db)
  const fetchPage = async (page: RawBuilder<unknown>, order: RawBuilder<unknown>) => {
    const query = sql<TaskRunRow>`select ${columns} from (${page}) page cross join task_run where task_run.id = page.id order by ${order}`
    return lazy.fetch(db, (await query.execute(db.kysely)).rows)
  }
  if (isDurationSort(sort)) return fetchPage(await durationPage(db, filters, { sort, limit, offset, now }), durationOrder(sort, now))
  const order = taskRunOrder[sort]
  const matching = matchingTasks(db, filters, order)
  const page = splitSearch(db.dialect, filters)
    ? sql`select task_run.id from ${matching} limit ${sql.lit(limit)} offset ${offset}`
    : ((await stateEndsQuery(db, filters, options)) ?? (await stateRangesQuery(db, filters, options)))
  if (page) return fetchPage(page, order)
  const query = sql<TaskRunRow>`select ${columns} from ${matching} order by ${order} limit ${sql.lit(limit)} offset ${offset}`
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

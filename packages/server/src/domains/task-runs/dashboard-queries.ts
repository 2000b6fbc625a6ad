import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import type { CountByState, TaskRunCount } from '@millrace/contracts/ui.ts'
import { sql } from 'kysely'
import { invalid } from '../../errors.ts'
import { MICROS_PER_SECOND, type Micros, toMicros } from '../../lib/time.ts'
import type { TaskRunRow } from '../../runs/task-run-rows.ts'
import { type Db, statement } from '../../storage/database.ts'
import { type RelatedFilters, taskRunsWhere } from '../relations.ts'
import { countByStateType } from '../run-counts.ts'
import { countedTasks, onlyStates } from './search-tasks.ts'

const bucketCount = 20
const minuteMicros = 60 * MICROS_PER_SECOND

/** Counts finished task runs by start time in twenty buckets of equal length. The first starts and the last ends at a full minute. */
export async function dashboardCounts(db: Db, filters: RelatedFilters & { task_runs: TaskRunFilter }, now: Micros): Promise<TaskRunCount[]> {
  const { after_: after, before_: before } = filters.task_runs.start_time ?? {}
  if (!after) throw invalid(['body', 'task_runs', 'start_time', 'after_'], 'Missing start of the chart')
  const start = Math.floor(toMicros(after) / minuteMicros) * minuteMicros
  const end = (Math.floor((before ? toMicros(before) : now) / minuteMicros) + 1) * minuteMicros
  const counts = Array.from({ length: bucketCount }, () => ({ completed: 0, failed: 0 }))
  if (end <= start) return counts

  const bucketMicros = Math.max(1, Math.round((end - start) / bucketCount))
  const where = taskRunsWhere(db.dialect, { ...filters, task_runs: { ...filters.task_runs, state: null } })
  // Finished runs have an end time. With a condition on the state type SQLite would read all finished runs instead of those in the time range.
  const { rows } = await sql<{ bucket: number; failed: number; count: number }>`
    select (task_run.start_time - cast(${start} as bigint)) / cast(${bucketMicros} as bigint) as bucket,
      case when task_run.state_type in ('FAILED', 'CRASHED') then 1 else 0 end as failed, count(*) as count
    from task_run where task_run.end_time is not null and task_run.start_time >= ${start} and task_run.start_time < ${end} and ${where}
    group by 1, 2`.execute(db.kysely)
  for (const row of rows) {
    // The bucket length is rounded to a microsecond; the remainder belongs to the last bucket.
    const bucket = counts[Math.min(row.bucket, bucketCount - 1)]
    if (bucket) bucket[row.failed === 1 ? 'failed' : 'completed'] += row.count
  }
  return counts
}

export async function countByState(db: Db, filters: RelatedFilters): Promise<CountByState> {
  const states = onlyStates(db.dialect, filters)
  const found = states ? await countByStateType(db, 'task_run', states) : await countMatchingByType(db, filters)
  return Object.fromEntries(stateTypes.map((type) => [type, found.get(type) ?? 0])) as CountByState
}

async function countMatchingByType(db: Db, filters: RelatedFilters): Promise<Map<StateType | null, number>> {
  const query = sql<{ type: StateType | null; count: number }>`
    select task_run.state_type as type, count(*) as count from ${countedTasks(db, filters)} group by task_run.state_type`
  return new Map((await query.execute(db.kysely)).rows.map(({ type, count }) => [type, count]))
}

const withFlowRunName = statement(
  'select task_run.*, flow_run.name as flow_run_name from task_run left join flow_run on flow_run.id = task_run.flow_run_id where task_run.id = $1',
)

export const readTaskRunWithFlowRunName = (db: Db, id: string): Promise<(TaskRunRow & { flow_run_name: string | null }) | undefined> =>
  db.first<TaskRunRow & { flow_run_name: string | null }>(withFlowRunName, [id])

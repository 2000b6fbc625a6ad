import type { StateType } from '@millrace/contracts/state.ts'
import type { Micros } from '../../lib/time.ts'
import type { RunState, TaskRunRetryPolicy, TaskRunSnapshot } from '../../orchestration/rule.ts'
import { type Db, statement } from '../../storage/database.ts'
import { type CurrentStateColumns, parseCurrentState, type StateRow, toStateColumns } from '../run-state.ts'
import { parseDetails } from '../state-details.ts'
import type { TaskRunRow } from './store.ts'

/** The row of one query with all that a transition needs: the task run and the state of its flow run. */
export interface TaskSnapshotRow extends CurrentStateColumns {
  readonly id: string
  readonly flow_run_id: string | null
  readonly flow_run_run_count: number
  readonly tags: string
  readonly empirical_policy: string
  readonly recent_transitions: string | null
  readonly run_count: number
  readonly expected_start_time: number | null
  readonly next_scheduled_start_time: number | null
  readonly start_time: number | null
  readonly end_time: number | null
  readonly total_run_time: number
  readonly known_flow_run_id: string | null
  readonly flow_run_count: number | null
  readonly flow_state_id: string | null
  readonly flow_state_type: string | null
  readonly flow_state_name: string | null
  readonly flow_state_timestamp: number | null
  readonly flow_state_details: string | null
  /** 0 if no tag has a limit. The same in all rows. */
  readonly tag_limits: number
}

const snapshotsById = statement(
  (dialect) => `select task_run.id, task_run.flow_run_id, task_run.flow_run_run_count, task_run.tags, task_run.empirical_policy, task_run.run_count,
    task_run.recent_transitions,
    task_run.expected_start_time, task_run.next_scheduled_start_time, task_run.start_time, task_run.end_time, task_run.total_run_time,
    task_run.state_id, task_run.state_type, task_run.state_name, task_run.state_timestamp, task_run.state_message, task_run.state_data, task_run.state_details,
    flow_run.id as known_flow_run_id, flow_run.run_count as flow_run_count, flow_run.state_id as flow_state_id, flow_run.state_type as flow_state_type,
    flow_run.state_name as flow_state_name, flow_run.state_timestamp as flow_state_timestamp, flow_run.state_details as flow_state_details,
    case when exists (select 1 from concurrency_limit where substr(name, 1, 4) = 'tag:') then 1 else 0 end as tag_limits
  from task_run left join flow_run on flow_run.id = task_run.flow_run_id
  where ${dialect.inList('task_run.id', '$1', 'uuid')}
  order by task_run.id ${dialect.forUpdate && `${dialect.forUpdate} of task_run`}`,
)

/** Reads the task runs and locks them until the commit, in the order of their ids. */
export const lockTaskSnapshots = (db: Db, ids: readonly string[]): Promise<TaskSnapshotRow[]> =>
  db.all<TaskSnapshotRow>(snapshotsById, [db.dialect.list(ids)])

export function toTaskSnapshot(row: TaskSnapshotRow): TaskRunSnapshot {
  return {
    id: row.id,
    state: parseCurrentState(row),
    run_count: row.run_count,
    expected_start_time: row.expected_start_time,
    next_scheduled_start_time: row.next_scheduled_start_time,
    start_time: row.start_time,
    end_time: row.end_time,
    total_run_time: row.total_run_time,
    flow_run_id: row.flow_run_id,
    flow_run_run_count: row.flow_run_run_count,
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    empirical_policy: JSON.parse(row.empirical_policy) as TaskRunRetryPolicy,
    flowRun: row.known_flow_run_id === null ? null : { state: flowRunState(row), run_count: row.flow_run_count ?? 0 },
    cached: null,
  }
}

/** Without message and data, which rules do not use. */
function flowRunState(row: TaskSnapshotRow): RunState | null {
  if (row.flow_state_id === null) return null
  return {
    id: row.flow_state_id,
    type: row.flow_state_type as StateType,
    name: row.flow_state_name as string,
    timestamp: row.flow_state_timestamp as number,
    message: null,
    data: null,
    state_details: parseDetails(row.flow_state_details as string),
  }
}

const cachedByKeys = statement(
  (dialect) => `select task_run_cache.cache_key, task_run_state.id, task_run_state.type, task_run_state.name, task_run_state.timestamp,
    task_run_state.message, task_run_state.data, task_run_state.state_details
  from task_run_cache join task_run_state on task_run_state.id = task_run_cache.state_id
  where ${dialect.inList('task_run_cache.cache_key', '$1', 'text')} and (task_run_cache.cache_expiration is null or task_run_cache.cache_expiration > $2)
  order by task_run_cache.created`,
)

/** The newest unexpired result under each key. */
export async function readCached(db: Db, keys: readonly string[], now: Micros): Promise<Map<string, RunState>> {
  if (keys.length === 0) return new Map()
  const rows = await db.all<StateRow & { cache_key: string }>(cachedByKeys, [db.dialect.list(keys), now])
  return new Map(rows.map((row) => [row.cache_key, parseStateRow(row)]))
}

const parseStateRow = (row: StateRow): RunState => ({
  id: row.id,
  type: row.type as StateType,
  name: row.name,
  timestamp: row.timestamp,
  message: row.message,
  data: row.data,
  state_details: parseDetails(row.state_details),
})

/** The columns that a transition writes. */
export function taskTransitionColumns(run: TaskRunSnapshot) {
  return {
    flow_run_run_count: run.flow_run_run_count,
    run_count: run.run_count,
    expected_start_time: run.expected_start_time,
    next_scheduled_start_time: run.next_scheduled_start_time,
    start_time: run.start_time,
    end_time: run.end_time,
    total_run_time: run.total_run_time,
    ...toStateColumns(run.state),
  } satisfies Partial<TaskRunRow>
}

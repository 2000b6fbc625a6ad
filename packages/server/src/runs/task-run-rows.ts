import type { StateType } from '@millrace/contracts/state.ts'
import type { Micros } from '../lib/time.ts'
import type { RunState, TaskRunRetryPolicy, TaskRunSnapshot } from '../orchestration/rule.ts'
import { type Db, type Statement, statement, type Tx } from '../storage/database.ts'
import type { Dialect } from '../storage/dialect.ts'
import { columnList, type Row } from '../storage/tables.ts'
import { parseCurrentState, parseDetails, parseStateRow, runTimesOf, type StateRow, toStateColumns } from './run-state.ts'

export type TaskRunRow = Row<'task_run'>

/** The row of one query with all that a change needs: the task run and the state of its flow run. */
export interface LoadedTaskRun extends TaskRunRow {
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

const byIds = (dialect: Dialect, ids: string, except = ''): string => `select ${columnList('task_run')},
    flow_run.id as known_flow_run_id, flow_run.run_count as flow_run_count, flow_run.state_id as flow_state_id, flow_run.state_type as flow_state_type,
    flow_run.state_name as flow_state_name, flow_run.state_timestamp as flow_state_timestamp, flow_run.state_details as flow_state_details,
    case when exists (select 1 from concurrency_limit where substr(name, 1, 4) = 'tag:') then 1 else 0 end as tag_limits
  from task_run left join flow_run on flow_run.id = task_run.flow_run_id
  where ${ids}
  order by task_run.id ${dialect.forChange && `${dialect.forChange} of task_run ${except}`}`

const given = (dialect: Dialect): string => dialect.inList('task_run.id', '$1', 'uuid')
/** The parents of subflows too, so that all task runs are locked in one order. */
const givenAndParents = (dialect: Dialect): string =>
  dialect.inListOr('task_run.id', '$1', 'uuid', `select parent_task_run_id from flow_run where ${dialect.inList('id', '$2', 'uuid')}`)

const statements = {
  given: {
    waiting: statement((dialect) => byIds(dialect, given(dialect))),
    exceptHeld: statement((dialect) => byIds(dialect, given(dialect), dialect.exceptHeld)),
  },
  withParents: {
    waiting: statement((dialect) => byIds(dialect, givenAndParents(dialect))),
    exceptHeld: statement((dialect) => byIds(dialect, givenAndParents(dialect), dialect.exceptHeld)),
  },
}

/**
 * Reads the task runs, and those that flow runs are subflows of, and locks them until the commit, in the order of their ids; without those that somebody else
 * holds, unless it may wait for them.
 */
export function lockTaskRuns(tx: Tx, ids: readonly string[], subflowIds: readonly string[], waits: boolean): Promise<LoadedTaskRun[]> {
  const { waiting, exceptHeld } = subflowIds.length > 0 ? statements.withParents : statements.given
  const values = subflowIds.length > 0 ? [tx.dialect.list(ids), tx.dialect.list(subflowIds)] : [tx.dialect.list(ids)]
  return tx.all<LoadedTaskRun>(waits ? waiting : exceptHeld, values)
}

export interface TaskRunKey {
  readonly flow_run_id?: string | null
  readonly task_key: string
  readonly dynamic_key: string
}

/** The key as text, for maps. */
export const taskRunKey = ({ flow_run_id, task_key, dynamic_key }: TaskRunKey): string => JSON.stringify([flow_run_id ?? null, task_key, dynamic_key])

const ofFlowRuns = { flow_run_id: 'uuid', task_key: 'text', dynamic_key: 'text' } as const
const byKeys = statement((dialect) => dialect.selectByKeys('task_run', ofFlowRuns))
/** Several task runs without a flow run may have the same keys; the oldest comes last. */
const looseByKeys = statement(
  (dialect) =>
    `${dialect.selectByKeys('task_run', { task_key: 'text', dynamic_key: 'text' }, 'flow_run_id is null')} order by task_run.created desc, task_run.id desc`,
)

const idsByKeys = statement((dialect) => dialect.selectByKeys('task_run', ofFlowRuns, 'true', ['id', ...Object.keys(ofFlowRuns)]))

/** Reads which task runs of flow runs have these keys. */
export const readTaskRunIds = (db: Db, keys: readonly TaskRunKey[]): Promise<(TaskRunKey & { readonly id: string })[]> =>
  db.all(idsByKeys, db.dialect.bindKeys(keys.map(({ flow_run_id, task_key, dynamic_key }) => [flow_run_id as string, task_key, dynamic_key])))

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

export function toTaskRunSnapshot(row: LoadedTaskRun): TaskRunSnapshot {
  return {
    id: row.id,
    state: parseCurrentState(row),
    ...runTimesOf(row),
    flow_run_id: row.flow_run_id,
    flow_run_run_count: row.flow_run_run_count,
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    empirical_policy: JSON.parse(row.empirical_policy) as TaskRunRetryPolicy,
    flowRun: row.known_flow_run_id === null ? null : { state: flowRunState(row), run_count: row.flow_run_count ?? 0 },
    cached: null,
  }
}

/** Without message and data, which rules do not use. */
function flowRunState(row: LoadedTaskRun): RunState | null {
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

/** The columns that a transition writes. */
export function taskRunColumns(run: TaskRunSnapshot) {
  return {
    flow_run_run_count: run.flow_run_run_count,
    ...runTimesOf(run),
    ...toStateColumns(run.state),
  } satisfies Partial<TaskRunRow>
}

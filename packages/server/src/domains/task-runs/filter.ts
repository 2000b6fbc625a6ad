import { stateTypes } from '@millrace/contracts/state.ts'
import type { TaskRunSort } from '@millrace/contracts/task-run.ts'
import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../../lib/time.ts'
import { type Condition, combine, compare, compareTags } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function taskRunWhere(dialect: Dialect, filter: TaskRunFilter): Condition {
  const state = [
    // The index of states begins with the type.
    ...(filter.state?.name?.any_ && !filter.state.type && filter.state.operator !== 'or_' ? [hasAnyState] : []),
    ...compare(dialect, col('task_run.state_type'), filter.state?.type),
    ...compare(dialect, col('task_run.state_name'), filter.state?.name),
  ]
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('task_run.id'), filter.id, 'uuid'),
    ...compare(dialect, col('task_run.name'), filter.name),
    ...compareTags(dialect, col('task_run.tags'), filter.tags),
    ...(state.length === 0 ? [] : [combine(filter.state?.operator, state)]),
    ...startConditions(dialect, filter.start_time),
    ...compare(dialect, col('task_run.end_time'), filter.end_time),
    ...compare(dialect, col('task_run.expected_start_time'), filter.expected_start_time),
    ...subflowConditions(filter.subflow_runs?.exists_),
    ...compare(dialect, col('task_run.flow_run_id'), filter.flow_run_id, 'uuid'),
  ])
}

const hasAnyState = sql<boolean>`task_run.state_type in (${sql.join(stateTypes.map((type) => sql.lit(type)))})`

/** The index by start contains ended task runs only; the few others are found by their missing end. */
function startConditions(dialect: Dialect, criteria: TaskRunFilter['start_time']): Condition[] {
  const started = compare(dialect, col('task_run.start_time'), criteria)
  if (criteria?.after_ == null || started.length === 0) return started
  const [condition] = started
  return [sql<boolean>`((task_run.end_time is not null and ${condition}) or (task_run.end_time is null and ${condition}))`]
}

function subflowConditions(hasSubflow: boolean | null | undefined): Condition[] {
  if (hasSubflow == null) return []
  const exists = sql<boolean>`exists (select 1 from flow_run subflow where subflow.parent_task_run_id = task_run.id)`
  return [hasSubflow ? exists : sql<boolean>`not ${exists}`]
}

export type DurationSort = 'DURATION_DESC' | 'DURATION_ASC'

export const isDurationSort = (sort: TaskRunSort): sort is DurationSort => sort === 'DURATION_DESC' || sort === 'DURATION_ASC'

/** The time of a run that is running grows until now. Equal ones, such as those that have not started, are sorted by time, newest first. */
export function durationOrder(sort: DurationSort, now: Micros, rows: 'task_run' | 'found' = 'task_run'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${rows}.${name}`)
  const elapsed = sql`case when ${column('state_type')} = 'RUNNING' and ${column('state_timestamp')} < ${now} then ${now} - ${column('state_timestamp')} else 0 end`
  const direction = sort === 'DURATION_DESC' ? sql`desc` : sql`asc`
  return sql`${column('total_run_time')} + ${elapsed} ${direction}, ${column('expected_start_time')} desc, ${column('id')} desc`
}

/** Runs without a value come last in both directions on both databases. */
export const taskRunOrder: Readonly<Record<Exclude<TaskRunSort, DurationSort>, RawBuilder<unknown>>> = {
  ID_DESC: sql`task_run.id desc`,
  EXPECTED_START_TIME_ASC: sql`task_run.expected_start_time asc, task_run.id asc`,
  EXPECTED_START_TIME_DESC: sql`task_run.expected_start_time desc, task_run.id desc`,
  NAME_ASC: sql`task_run.name asc, task_run.id asc`,
  NAME_DESC: sql`task_run.name desc, task_run.id desc`,
  NEXT_SCHEDULED_START_TIME_ASC: sql`task_run.next_scheduled_start_time asc nulls last, task_run.id asc`,
  END_TIME_DESC: sql`task_run.end_time desc nulls last, task_run.id desc`,
}

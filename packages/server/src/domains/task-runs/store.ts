import type { TaskRunSort } from '@millrace/contracts/task-run.ts'
import { sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import type { Row } from '../../storage/tables.ts'
import { type RelatedFilters, taskRunsWhere } from '../relations.ts'
import { taskRunOrder } from './filter.ts'

export type TaskRunRow = Row<'task_run'>

const byId = statement('select * from task_run where id = $1')
const byIds = statement((dialect) => `select * from task_run where ${dialect.inList('id', '$1', 'uuid')}`)
/** Of runs without a flow run several may have the same keys, and the oldest comes last; each half is served by an index of its own. */
const byKeys = statement(
  (dialect) => `select * from task_run
      where ${dialect.inList('flow_run_id', '$1', 'uuid')} and ${dialect.inList('task_key', '$2', 'text')} and ${dialect.inList('dynamic_key', '$3', 'text')}
    union all select * from task_run
      where flow_run_id is null and ${dialect.inList('task_key', '$2', 'text')} and ${dialect.inList('dynamic_key', '$3', 'text')}
    order by created desc, id desc`,
)

export const readTaskRun = (db: Db, id: string): Promise<TaskRunRow | undefined> => db.first<TaskRunRow>(byId, [id])
export const readTaskRuns = (db: Db, ids: readonly string[]): Promise<TaskRunRow[]> => db.all<TaskRunRow>(byIds, [db.dialect.list(ids)])

export interface TaskRunKey {
  readonly flow_run_id?: string | null
  readonly task_key: string
  readonly dynamic_key: string
}

/** Runs that may have these keys: the caller picks by all three. */
export function readTaskRunsByKey(db: Db, keys: readonly TaskRunKey[]): Promise<TaskRunRow[]> {
  const { list } = db.dialect
  const unique = (values: readonly string[]) => list([...new Set(values)])
  return db.all<TaskRunRow>(byKeys, [
    unique(keys.flatMap(({ flow_run_id }) => flow_run_id ?? [])),
    unique(keys.map(({ task_key }) => task_key)),
    unique(keys.map(({ dynamic_key }) => dynamic_key)),
  ])
}

export const updateTaskRun = (tx: Tx, row: Partial<TaskRunRow>): Promise<number> => tx.update('task_run', [row])

const late = lazyColumns('task_run', ['state_data', 'task_inputs', 'state_message'])

export async function listTaskRuns(
  db: Db,
  filters: RelatedFilters,
  options: { sort: TaskRunSort; limit: number; offset: number },
): Promise<TaskRunRow[]> {
  const where = taskRunsWhere(db.dialect, filters)
  const query = sql<TaskRunRow>`select ${selectLazyColumns(late, db)} from task_run where ${where} order by ${taskRunOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
  return late.fetch(db, (await query.execute(db.kysely)).rows)
}

export async function countTaskRuns(db: Db, filters: RelatedFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from task_run where ${taskRunsWhere(db.dialect, filters)}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}

import type { StateRow } from '../../runs/run-state.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'

/** The two history tables differ only in the column of the run. */
function stateHistory(table: 'flow_run_state' | 'task_run_state', run: 'flow_run_id' | 'task_run_id') {
  const byId = statement(`select * from ${table} where id = $1`)
  const byRun = statement(`select * from ${table} where ${run} = $1 order by timestamp, id`)
  const existing = statement((dialect) => `select id from ${table} where ${dialect.inList('id', '$1', 'uuid')}`)
  return {
    read: (db: Db, id: string): Promise<StateRow | undefined> => db.first<StateRow>(byId, [id]),
    /** Oldest first. */
    list: (db: Db, runId: string): Promise<StateRow[]> => db.all<StateRow>(byRun, [runId]),
    /** The ids that exist. */
    filterExisting: async (db: Db, ids: readonly string[]): Promise<string[]> =>
      (await db.all<{ id: string }>(existing, [db.dialect.list(ids)])).map(({ id }) => id),
  }
}

export const flowRunStates = stateHistory('flow_run_state', 'flow_run_id')
export const taskRunStates = stateHistory('task_run_state', 'task_run_id')

const verdictsOfRun = statement('select * from verdict where run_id = $1 order by at desc, id desc limit $2')

/** The newest verdicts of a run, oldest first. */
export const readVerdicts = async (db: Db, runId: string, limit: number): Promise<Row<'verdict'>[]> =>
  (await db.all<Row<'verdict'>>(verdictsOfRun, [runId, limit])).reverse()

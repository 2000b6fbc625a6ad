import { type Db, statement } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import type { StateRow } from '../run-state.ts'

/** The two histories have the same columns but for the run they belong to. */
function stateHistory(table: 'flow_run_state' | 'task_run_state', run: 'flow_run_id' | 'task_run_id') {
  const byId = statement(`select * from ${table} where id = $1`)
  const byRun = statement(`select * from ${table} where ${run} = $1 order by timestamp, id`)
  const known = statement((dialect) => `select id from ${table} where ${dialect.inList('id', '$1', 'uuid')}`)
  return {
    read: (db: Db, id: string): Promise<StateRow | undefined> => db.first<StateRow>(byId, [id]),
    /** Oldest first. */
    list: (db: Db, runId: string): Promise<StateRow[]> => db.all<StateRow>(byRun, [runId]),
    /** Those of the ids that are states on record. */
    known: async (db: Db, ids: readonly string[]): Promise<string[]> =>
      (await db.all<{ id: string }>(known, [db.dialect.list(ids)])).map(({ id }) => id),
  }
}

export const flowRunStates = stateHistory('flow_run_state', 'flow_run_id')
export const taskRunStates = stateHistory('task_run_state', 'task_run_id')

const verdictsOfRun = statement('select * from verdict where run_id = $1 order by at desc, id desc limit $2')

/** What rules said of a run's proposed states: the newest of them, oldest first. */
export const readVerdicts = async (db: Db, runId: string, limit: number): Promise<Row<'verdict'>[]> =>
  (await db.all<Row<'verdict'>>(verdictsOfRun, [runId, limit])).reverse()

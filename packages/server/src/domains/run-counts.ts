import type { StateType } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'

type RunTable = 'flow_run' | 'task_run'

/** A condition on `state_type` and `state_name` of the table, and on nothing else. */
export type StateCondition = Condition

/**
 * The numbers of runs by state, as a table with the name of the runs. A state may have several rows. Triggers count the runs (ADR 0060), so the cost does
 * not grow with them.
 */
const stateCounts = (table: RunTable): RawBuilder<unknown> =>
  sql`(select nullif(state_type, '') as state_type, case when state_type <> '' then state_name end as state_name, count
    from run_count where run_table = ${sql.lit(table)}) ${sql.table(table)}`

/** Counts runs by their states alone. */
export async function countByStates(db: Db, table: RunTable, where: StateCondition): Promise<number> {
  const query = sql<{ count: number }>`select cast(coalesce(sum(count), 0) as bigint) as count from ${stateCounts(table)} where ${where}`
  return (await query.execute(db.kysely)).rows[0]?.count ?? 0
}

/** The same for each state type. */
export async function countByStateType(db: Db, table: RunTable, where: StateCondition): Promise<Map<StateType | null, number>> {
  const query = sql<{ type: StateType | null; count: number }>`
    select state_type as type, cast(sum(count) as bigint) as count from ${stateCounts(table)} where ${where} group by state_type`
  return new Map((await query.execute(db.kysely)).rows.map(({ type, count }) => [type, count]))
}

import { type StateType, stateTypes, terminalTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'

type RunTable = 'flow_run' | 'task_run'

const unfinishedTypes = stateTypes.filter((type) => !terminalTypes.includes(type))

/** The indexes that begin with the type and the name of the state. */
const stateIndexes: Readonly<Record<RunTable, string>> = { flow_run: 'flow_run_history', task_run: 'task_run_by_state' }

/**
 * The numbers of runs by state as a subquery with the name of the table, so that the conditions of a filter on states apply to it. A state may have
 * several rows. Triggers count finished runs (ADR 0027); unfinished runs are few and are counted in an index. One statement reads both, so that their sum
 * is exact.
 */
function stateCounts({ dialect }: Db, table: RunTable): RawBuilder<unknown> {
  const unfinished = (where: Condition) =>
    sql`select unfinished.state_type, unfinished.state_name, count(*) as count
      from ${sql.table(table)} unfinished ${dialect.indexHint(stateIndexes[table])}
      where ${where} group by unfinished.state_type, unfinished.state_name`
  return sql`(
    select state_type, state_name, count from finished_run_count where run_table = ${sql.lit(table)}
    union all ${unfinished(sql`unfinished.state_type in (${sql.join(unfinishedTypes.map((type) => sql.lit(type)))})`)}
    union all ${unfinished(sql`unfinished.state_type is null`)}
  ) ${sql.table(table)}`
}

/** Counts all runs that match a condition on the type and name of their state. The cost does not grow with the finished runs. */
export async function countByStates(db: Db, table: RunTable, where: Condition): Promise<number> {
  const query = sql<{ count: number }>`select cast(coalesce(sum(count), 0) as bigint) as count from ${stateCounts(db, table)} where ${where}`
  return (await query.execute(db.kysely)).rows[0]?.count ?? 0
}

/** The same for each state type. */
export async function countByStateType(db: Db, table: RunTable, where: Condition): Promise<Map<StateType | null, number>> {
  const query = sql<{ type: StateType | null; count: number }>`
    select state_type as type, cast(sum(count) as bigint) as count from ${stateCounts(db, table)} where ${where} group by state_type`
  return new Map((await query.execute(db.kysely)).rows.map(({ type, count }) => [type, count]))
}

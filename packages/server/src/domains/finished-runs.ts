import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type StateType, stateTypes, terminalTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import { matchesStateFilter } from './distinct-states.ts'

type RunTable = 'flow_run' | 'task_run'

/** Which runs to count: a filter on their state, and the same as a condition on `state_type` and `state_name` of the table. */
export interface CountedStates {
  readonly filter: FlowRunFilter['state']
  readonly where: Condition
}

/** The indexes that begin with the type and the name of the state. */
const stateIndexes: Readonly<Record<RunTable, string>> = { flow_run: 'flow_run_history', task_run: 'task_run_by_state' }

/**
 * The numbers of runs by state, as a table with the name of the runs. A state may have several rows. Triggers count finished runs (ADR 0027); unfinished
 * runs are few and are counted in an index. One statement reads both, so that their sum is exact.
 */
async function readCounts<R>(db: Db, table: RunTable, { filter, where }: CountedStates, columns: RawBuilder<unknown>, groups: RawBuilder<unknown>) {
  const runs = (condition: Condition) =>
    sql`select runs.state_type, runs.state_name, count(*) as count from ${sql.table(table)} runs ${db.dialect.indexHint(stateIndexes[table])}
      where ${condition} group by runs.state_type, runs.state_name`
  const unfinished = unfinishedTypes(filter)
  const branches = [
    sql`select state_type, state_name, count from finished_run_count where run_table = ${sql.lit(table)}`,
    runs(sql`runs.state_type is null`),
    ...(unfinished.length === 0 ? [] : [runs(sql`runs.state_type in (${sql.join(unfinished.map((type) => sql.lit(type)))})`)]),
  ]
  // Materialized: SQLite would use the condition to find the runs, and read all completed ones to see that none of them is unfinished.
  const query = sql<R>`with state_counts as materialized (${sql.join(branches, sql` union all `)})
    select ${columns} from state_counts ${sql.table(table)} where ${where} ${groups}`
  return (await query.execute(db.kysely)).rows
}

/** The unfinished types that a filter may match. */
function unfinishedTypes(filter: CountedStates['filter']): StateType[] {
  const type = filter?.operator === 'or_' && filter.name ? null : filter?.type
  return stateTypes.filter((each) => !terminalTypes.includes(each) && matchesStateFilter({ operator: 'and_', type }, { type: each, name: '' }))
}

/** Counts runs by their states alone. The cost does not grow with the finished runs. */
export async function countByStates(db: Db, table: RunTable, states: CountedStates): Promise<number> {
  const [row] = await readCounts<{ count: number }>(db, table, states, sql`cast(coalesce(sum(count), 0) as bigint) as count`, sql``)
  return row?.count ?? 0
}

/** The same for each state type. */
export async function countByStateType(db: Db, table: RunTable, states: CountedStates): Promise<Map<StateType | null, number>> {
  const columns = sql`state_type as type, cast(sum(count) as bigint) as count`
  const rows = await readCounts<{ type: StateType | null; count: number }>(db, table, states, columns, sql`group by state_type`)
  return new Map(rows.map(({ type, count }) => [type, count]))
}

import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** A state type and name that at least one run has. */
export interface DistinctState {
  readonly type: StateType
  readonly name: string
}

/** Clients choose state names. Beyond this number of states sorting the runs is faster. */
export const distinctStatesMax = 60

/** The distinct states of runs, at most `distinctStatesMax + 1`. One index lookup per state. */
export async function readDistinctStates(db: Db, table: 'flow_run' | 'task_run'): Promise<DistinctState[]> {
  const smallestName = (type: RawBuilder<unknown>, after: RawBuilder<unknown>) =>
    sql`(select min(run.state_name) from ${sql.table(table)} run where run.state_type = ${type} ${after})`
  const { rows } = await sql<DistinctState>`with recursive
      types(type) as (values ${sql.join(stateTypes.map((type) => sql`(${sql.lit(type)})`))}),
      found(type, name) as (
        select types.type, ${smallestName(sql`types.type`, sql``)} from types
        union all
        select found.type, ${smallestName(sql`found.type`, sql`and run.state_name > found.name`)} from found where found.name is not null
      )
    select type, name from found where name is not null limit ${distinctStatesMax + 1}`.execute(db.kysely)
  return rows
}

interface ValueCriteria {
  readonly any_?: readonly string[] | null
  readonly not_any_?: readonly string[] | null
}

export function matchesStateFilter({ operator, type, name }: NonNullable<FlowRunFilter['state']>, state: DistinctState): boolean {
  const results = [...evaluateCriteria(type, state.type), ...evaluateCriteria(name, state.name)]
  if (results.length === 0) return true
  return operator === 'or_' ? results.some(Boolean) : results.every(Boolean)
}

/** One result for all criteria of a field, or none without criteria. */
function evaluateCriteria(criteria: ValueCriteria | null | undefined, value: string): boolean[] {
  const results = [
    ...(criteria?.any_ ? [criteria.any_.includes(value)] : []),
    ...(criteria?.not_any_?.length ? [!criteria.not_any_.includes(value)] : []),
  ]
  return results.length === 0 ? [] : [results.every(Boolean)]
}

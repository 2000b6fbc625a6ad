import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type StateType, stateTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** A type and a name that runs are in. */
export interface DistinctState {
  readonly type: StateType
  readonly name: string
}

/** Anybody may name states: beyond so many of them it is quicker to sort the runs. */
export const distinctStatesMax = 60

/** The states that runs are in, one more than `statesMax` of them at most: a step into the index for each. */
export async function readDistinctStates(db: Db, table: 'flow_run' | 'task_run'): Promise<DistinctState[]> {
  const least = (type: RawBuilder<unknown>, after: RawBuilder<unknown>) =>
    sql`(select min(run.state_name) from ${sql.table(table)} run where run.state_type = ${type} ${after})`
  const { rows } = await sql<DistinctState>`with recursive
      types(type) as (values ${sql.join(stateTypes.map((type) => sql`(${sql.lit(type)})`))}),
      known(type, name) as (
        select types.type, ${least(sql`types.type`, sql``)} from types
        union all
        select known.type, ${least(sql`known.type`, sql`and run.state_name > known.name`)} from known where known.name is not null
      )
    select type, name from known where name is not null limit ${distinctStatesMax + 1}`.execute(db.kysely)
  return rows
}

interface ValueCriteria {
  readonly any_?: readonly string[] | null
  readonly not_any_?: readonly string[] | null
}

export function matchesStateFilter({ operator, type, name }: NonNullable<FlowRunFilter['state']>, state: DistinctState): boolean {
  const answers = [...evaluateCriteria(type, state.type), ...evaluateCriteria(name, state.name)]
  if (answers.length === 0) return true
  return operator === 'or_' ? answers.some(Boolean) : answers.every(Boolean)
}

/** One answer for all that is said of a field; none when nothing is. */
function evaluateCriteria(dictionary: ValueCriteria | null | undefined, word: string): boolean[] {
  const said = [
    ...(dictionary?.any_ ? [dictionary.any_.includes(word)] : []),
    ...(dictionary?.not_any_?.length ? [!dictionary.not_any_.includes(word)] : []),
  ]
  return said.length === 0 ? [] : [said.every(Boolean)]
}

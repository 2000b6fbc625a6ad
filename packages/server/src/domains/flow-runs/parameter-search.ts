import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../../storage/dialect.ts'
import type { RelatedFilters } from '../relations.ts'
import { flowRunWhere } from './filter.ts'

/**
 * No index leads to a run by its parameters, and one would cost every run that is created. So that a search by parameters costs the same
 * whatever the table holds, it looks into the first so many runs, in the order asked for, that all other filters leave: measured, a search that
 * finds nothing reads them in a tenth of a second. Whoever looks for older ones narrows by time, deployment or state.
 */
export const searchedRunsMax = 20_000

export interface ParameterSearch {
  /** All filters but the one that is searched by. */
  readonly otherFilters: RelatedFilters
  readonly parameterFilter: Pick<FlowRunFilter, 'parameters'>
}

/** The two halves of a filter by parameters; undefined when there is none, or when it is one of several that may hold. */
export function splitParameterSearch(filters: RelatedFilters): ParameterSearch | undefined {
  const asked = filters.flow_runs
  if (!asked?.parameters?.matches_ || asked.operator === 'or_') return undefined
  const { parameters, ...others } = asked
  return { otherFilters: { ...filters, flow_runs: others }, parameterFilter: { parameters } }
}

/** The ids of the searched runs that match. Each run is asked for by itself: PostgreSQL would rather read all runs and join them. */
export const matchingIdsQuery = (dialect: Dialect, searched: RawBuilder<unknown>, sought: ParameterSearch['parameterFilter']): RawBuilder<unknown> =>
  sql`select searched.id from (${searched}) searched
    where (select 1 from flow_run where flow_run.id = searched.id and ${flowRunWhere(dialect, { operator: 'and_', ...sought })}) = 1`

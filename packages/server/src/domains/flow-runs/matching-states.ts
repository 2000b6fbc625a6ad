import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { Db } from '../../storage/database.ts'
import { type DistinctState, distinctStatesMax, matchesStateFilter, readDistinctStates } from '../distinct-states.ts'

/**
 * The states, by type and name, that runs are in and that a filter asks for: each is one range of the index of history, in the order of the
 * expected starts. Undefined when there are too many to be asked for one by one.
 */
export async function readMatchingStates(db: Db, asked: NonNullable<FlowRunFilter['state']>): Promise<DistinctState[] | undefined> {
  const known = await readDistinctStates(db, 'flow_run')
  return known.length > distinctStatesMax ? undefined : known.filter((state) => matchesStateFilter(asked, state))
}

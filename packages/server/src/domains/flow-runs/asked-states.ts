import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { Db } from '../../storage/database.ts'
import { isAsked, type KnownState, readStates, statesMax } from '../known-states.ts'

/**
 * The states, by type and name, that runs are in and that a filter asks for: each is one range of the index of history, in the order of the
 * expected starts. Undefined when there are too many to be asked for one by one.
 */
export async function askedStates(db: Db, asked: NonNullable<FlowRunFilter['state']>): Promise<KnownState[] | undefined> {
  const known = await readStates(db, 'flow_run')
  return known.length > statesMax ? undefined : known.filter((state) => isAsked(asked, state))
}

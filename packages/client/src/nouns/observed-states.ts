import type { ObservedState, ObservedStatesQuery } from '@millrace/contracts/observed-state.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

/** The types and names of the states that runs had. */
export class ObservedStates extends OperationGroup {
  /** Lists states by the beginning of their name or type. Takes seconds in a large database. */
  list(query: ObservedStatesQuery = {}, options?: CallOptions): Promise<ObservedState[]> {
    return this.http.call('GET', '/observed-states', { query, options })
  }
}

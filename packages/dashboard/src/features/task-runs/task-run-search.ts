import type { TaskRunOrder } from '@millrace/client/vocabulary/run-sorts.ts'
import { readString } from '../../search-params.ts'
import type { LogSearch } from '../logs/log-search.ts'

const taskRunTabs = ['logs', 'states', 'inputs', 'artifacts', 'details'] as const
export type TaskRunTab = (typeof taskRunTabs)[number]

export interface TaskRunSearch extends LogSearch {
  readonly tab?: TaskRunTab | undefined
}

export const readTaskRunSearch = (params: Record<string, unknown>): TaskRunSearch => ({
  tab: taskRunTabs.find((each) => each === readString(params.tab)),
  level: readString(params.level),
  text: readString(params.text),
})

/** URL parameters of the task run list. */
export interface TaskRunsSearch {
  readonly name?: string | undefined
  readonly state?: string | undefined
  readonly sort?: TaskRunsSort | undefined
}

/** The orders of the table of a flow run, the default first. */
export const taskRunsOrders = ['oldest', 'longest', 'shortest'] as const satisfies readonly TaskRunOrder[]

export type TaskRunsSort = (typeof taskRunsOrders)[number]

/** Undefined for the order that is the default. */
export function readTaskRunsSort(params: Record<string, unknown>): TaskRunsSort | undefined {
  const sort = readString(params.sort)
  return sort === 'longest' || sort === 'shortest' ? sort : undefined
}

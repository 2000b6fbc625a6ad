import { readString } from '../../search-params.ts'
import type { LogSearch } from '../logs/log-search.ts'
import { type GraphSearch, graphViews } from '../run-graph/graph-views.ts'
import { readTaskRunsSort, type TaskRunsSearch } from '../task-runs/task-run-search.ts'

/** Tabs of the run page as the URL names them. A separate file, because the page itself is loaded on demand. */
const runTabs = ['logs', 'graph', 'tasks', 'subflows', 'states', 'parameters', 'artifacts', 'details'] as const
export type RunTab = (typeof runTabs)[number]

/** URL parameters of the run page: the open tab and its filters. */
export interface RunSearch extends GraphSearch, LogSearch, TaskRunsSearch {
  readonly tab?: RunTab | undefined
}

export function readRunSearch(params: Record<string, unknown>): RunSearch {
  return {
    tab: runTabs.find((each) => each === readString(params.tab)),
    view: graphViews.find(({ value }) => value === readString(params.view))?.value,
    node: readString(params.node),
    find: readString(params.find),
    level: readString(params.level),
    text: readString(params.text),
    name: readString(params.name),
    state: readString(params.state),
    sort: readTaskRunsSort(params),
  }
}

import { readString } from '../../search-params.ts'
import type { LogSearch } from '../logs/log-search.ts'
import { type GraphSearch, graphViews } from '../run-graph/graph-views.ts'
import type { TaskRunsSearch } from '../task-runs/task-runs-search.ts'

/** The parts of a run's page, as its address names them. Apart from the page, which is loaded only when it is shown. */
const runTabs = ['logs', 'graph', 'tasks', 'subflows', 'states', 'parameters', 'artifacts', 'details'] as const
export type RunTab = (typeof runTabs)[number]

/** What of a run's page stands in its address: the part that is open, and what narrows it. */
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
  }
}

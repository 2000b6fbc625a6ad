import type { QueryClient } from '@tanstack/react-query'
import { artifactsQuery } from './artifacts.ts'
import { flowRunCountQuery } from './flow-runs.ts'
import { logsQuery } from './logs.ts'
import { flowRunStatesQuery, verdictsQuery } from './state-history.ts'
import { taskRunStateCountsQuery } from './task-runs.ts'

export const subflowsFilter = (id: string) => ({ flow_runs: { parent_flow_run_id: { any_: [id] } } })

/** Queries of the run page beside the run. They need only the id, so that all start at once. */
export const flowRunPageQueries = (id: string) => ({
  tasks: taskRunStateCountsQuery({ flow_runs: { id: { any_: [id] } } }),
  subflows: flowRunCountQuery(subflowsFilter(id)),
  artifacts: artifactsQuery({ artifacts: { flow_run_id: { any_: [id] }, type: { not_any_: ['result'] } } }),
  states: flowRunStatesQuery(id),
  verdicts: verdictsQuery('flow-runs', id),
})

/** Prefetches all of them, and the logs if that tab is open. */
export function prefetchFlowRunPage(client: QueryClient, id: string, withLogs: boolean): void {
  const { tasks, subflows, artifacts, states, verdicts } = flowRunPageQueries(id)
  if (withLogs) void client.prefetchInfiniteQuery(logsQuery({ flow_run_id: { any_: [id] } }))
  void client.prefetchQuery(tasks)
  void client.prefetchQuery(subflows)
  void client.prefetchQuery(artifacts)
  void client.prefetchQuery(states)
  void client.prefetchQuery(verdicts)
}

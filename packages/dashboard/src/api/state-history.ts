import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** All states of a run, oldest first. Keyed by the noun of the run, so that its events refresh them. */
export const flowRunStatesQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'states', id],
    queryFn: ({ signal }) => client.flowRuns.listStates(id, { signal }),
  })

export const taskRunStateHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['task-runs', 'states', id],
    queryFn: ({ signal }) => client.taskRuns.listStates(id, { signal }),
  })

/**
 * Decisions of the orchestration rules on proposed states, oldest first. Keyed by the noun of the run: a rejection emits no event, the next event
 * of the run refreshes it.
 */
export const verdictsQuery = (kind: 'flow-runs' | 'task-runs', id: string) =>
  queryOptions({
    queryKey: [kind, 'verdicts', id],
    queryFn: ({ signal }) => (kind === 'flow-runs' ? client.flowRuns : client.taskRuns).listVerdicts(id, {}, { signal }),
  })

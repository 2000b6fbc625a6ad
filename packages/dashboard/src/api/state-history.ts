import type { State, Verdict } from '@millrace/contracts/state.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** All states of a run, oldest first. Keyed by the noun of the run, so that its events refresh them. */
export const flowRunStatesQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'states', id],
    queryFn: ({ signal }) => call<State[]>('GET', '/flow_run_states/', { query: { flow_run_id: id }, signal }),
  })

export const taskRunStateHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['task-runs', 'states', id],
    queryFn: ({ signal }) => call<State[]>('GET', '/task_run_states/', { query: { task_run_id: id }, signal }),
  })

/**
 * Decisions of the orchestration rules on proposed states, oldest first. Keyed by the noun of the run: a rejection emits no event, the next event
 * of the run refreshes it.
 */
export const verdictsQuery = (kind: 'flow-runs' | 'task-runs', id: string) =>
  queryOptions({
    queryKey: [kind, 'verdicts', id],
    queryFn: ({ signal }) => call<Verdict[]>('GET', `/${kind === 'flow-runs' ? 'flow_runs' : 'task_runs'}/${id}/verdicts`, { signal }),
  })

import type { Verdict } from '@millrace/contracts/verdict.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/**
 * Decisions of the orchestration rules on proposed states, oldest first. Keyed by the noun of the run: a rejection emits no event, the next event
 * of the run refreshes it.
 */
export const verdictsQuery = (kind: 'flow-runs' | 'task-runs', id: string) =>
  queryOptions({
    queryKey: [kind, 'verdicts', id],
    queryFn: ({ signal }) => call<Verdict[]>('GET', `/${kind === 'flow-runs' ? 'flow_runs' : 'task_runs'}/${id}/verdicts`, { signal }),
  })

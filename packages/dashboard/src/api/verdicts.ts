import type { Verdict } from '@millrace/contracts/state.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** What the rules said of the states proposed for a run, oldest first. Under the noun of the run: what is refused is told by its next event. */
export const verdictsQuery = (kind: 'flow-runs' | 'task-runs', id: string) =>
  queryOptions({
    queryKey: [kind, 'verdicts', id],
    queryFn: ({ signal }) => call<Verdict[]>('GET', `/${kind === 'flow-runs' ? 'flow_runs' : 'task_runs'}/${id}/verdicts`, { signal }),
  })

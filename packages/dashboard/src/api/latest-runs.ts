import type { LatestRunsBody, LatestRunsById } from '@millrace/contracts/latest-runs.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { RequestBody } from './sent.ts'

/** Latest runs and the next run of every row of a list, in one call. */
export const latestRunsQuery = (body: RequestBody<typeof LatestRunsBody>) =>
  queryOptions({
    queryKey: ['flow-runs', 'latest', body],
    queryFn: ({ signal }) => call<LatestRunsById>('POST', '/ui/flow_runs/latest', { body, signal }),
    placeholderData: keepPreviousData,
  })

import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const concurrencyLimitsQuery = () =>
  queryOptions({
    queryKey: ['concurrency-limits', 'list'],
    queryFn: ({ signal }) => call<GlobalConcurrencyLimitResponse[]>('POST', '/v2/concurrency_limits/filter', { body: {}, signal }),
  })

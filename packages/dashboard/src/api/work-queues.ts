import type { WorkQueueResponse, WorkQueuesFilterBody } from '@millrace/contracts/work-queue.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

const noun = 'work-queues'

export const workQueuesQuery = (body: Sent<typeof WorkQueuesFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<WorkQueueResponse[]>('POST', '/work_queues/filter', { body, signal }),
  })

export const poolQueuesQuery = (pool: string) =>
  queryOptions({
    queryKey: [noun, 'of-pool', pool],
    queryFn: ({ signal }) => call<WorkQueueResponse[]>('POST', `/work_pools/${encodeURIComponent(pool)}/queues/filter`, { body: {}, signal }),
  })

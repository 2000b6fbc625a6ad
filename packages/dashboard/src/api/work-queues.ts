import type { WorkQueueCreate, WorkQueueResponse, WorkQueuesFilterBody, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'work-queues'
const path = (pool: string, name = '') => `/work_pools/${encodeURIComponent(pool)}/queues${name === '' ? '' : `/${encodeURIComponent(name)}`}`

export const workQueuesQuery = (body: RequestBody<typeof WorkQueuesFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<WorkQueueResponse[]>('POST', '/work_queues/filter', { body, signal }),
  })

/** Ordered by priority. */
export const poolQueuesQuery = (pool: string) =>
  queryOptions({
    queryKey: [noun, 'of-pool', pool],
    queryFn: ({ signal }) => call<WorkQueueResponse[]>('POST', `${path(pool)}/filter`, { body: {}, signal }),
  })

export const poolQueueQuery = (pool: string, name: string) =>
  queryOptions({ queryKey: [noun, 'one', pool, name], queryFn: ({ signal }) => call<WorkQueueResponse>('GET', path(pool, name), { signal }) })

/** By id, for legacy URLs. */
export const workQueueQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'by-id', id], queryFn: ({ signal }) => call<WorkQueueResponse>('GET', `/work_queues/${id}`, { signal }) })

export const createQueue = (pool: string, queue: WorkQueueCreate) => call<WorkQueueResponse>('POST', path(pool), { body: queue })
export const updateQueue = (pool: string, name: string, change: WorkQueueUpdate) => call<null>('PATCH', path(pool, name), { body: change })
export const deleteQueue = (pool: string, name: string) => call<null>('DELETE', path(pool, name))

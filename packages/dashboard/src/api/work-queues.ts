import type { WorkQueueCreate, WorkQueuesFilterBody, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'work-queues'

export const workQueuesQuery = (body: WorkQueuesFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.workQueues.list(body, { signal }),
  })

/** Ordered by priority. */
export const poolQueuesQuery = (pool: string) =>
  queryOptions({
    queryKey: [noun, 'of-pool', pool],
    queryFn: ({ signal }) => client.workQueues.listInPool(pool, {}, { signal }),
  })

export const poolQueueQuery = (pool: string, name: string) =>
  queryOptions({ queryKey: [noun, 'one', pool, name], queryFn: ({ signal }) => client.workQueues.readInPool(pool, name, { signal }) })

/** By id, for legacy URLs. */
export const workQueueQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'by-id', id], queryFn: ({ signal }) => client.workQueues.read(id, { signal }) })

export const createQueue = (pool: string, queue: WorkQueueCreate) => client.workQueues.createInPool(pool, queue)
export const updateQueue = (pool: string, name: string, change: WorkQueueUpdate) => client.workQueues.updateInPool(pool, name, change)
export const deleteQueue = (pool: string, name: string) => client.workQueues.deleteInPool(pool, name)

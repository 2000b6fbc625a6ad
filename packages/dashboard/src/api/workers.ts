import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** A worker that stops sending heartbeats emits no event, so its status is polled. */
const refetchSeconds = 20

export const workersQuery = (pool: string) =>
  queryOptions({
    queryKey: ['workers', 'of-pool', pool],
    queryFn: ({ signal }) => client.workers.list(pool, {}, { signal }),
    refetchInterval: refetchSeconds * 1000,
  })

export const deleteWorker = (pool: string, name: string) => client.workers.delete(pool, name)

import type { WorkerResponse } from '@millrace/contracts/worker.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** A worker that stops sending heartbeats emits no event, so its status is polled. */
const refetchSeconds = 20

export const workersQuery = (pool: string) =>
  queryOptions({
    queryKey: ['workers', 'of-pool', pool],
    queryFn: ({ signal }) => call<WorkerResponse[]>('POST', `/work_pools/${encodeURIComponent(pool)}/workers/filter`, { body: {}, signal }),
    refetchInterval: refetchSeconds * 1000,
  })

export const deleteWorker = (pool: string, name: string) =>
  call<null>('DELETE', `/work_pools/${encodeURIComponent(pool)}/workers/${encodeURIComponent(name)}`)

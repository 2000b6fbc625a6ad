import type { WorkPoolConcurrencyStatus } from '@millrace/contracts/concurrency-status.ts'
import type { WorkPoolCreate, WorkPoolResponse, WorkPoolsFilterBody, WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'work-pools'
const path = (name: string) => `/work_pools/${encodeURIComponent(name)}`

export const workPoolsQuery = (body: RequestBody<typeof WorkPoolsFilterBody> = {}) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<WorkPoolResponse[]>('POST', '/work_pools/filter', { body, signal }) })

export const workPoolQuery = (name: string) =>
  queryOptions({ queryKey: [noun, 'one', name], queryFn: ({ signal }) => call<WorkPoolResponse>('GET', path(name), { signal }) })

/** Runs that use slots, by queue. */
export const poolSlotsQuery = (name: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'slots-of-pool', name],
    queryFn: ({ signal }) => call<WorkPoolConcurrencyStatus>('POST', `${path(name)}/concurrency_status`, { body: { flow_run_limit: 50 }, signal }),
  })

export interface WorkerType {
  readonly type: string
  readonly display_name?: string
  readonly description?: string
  readonly default_base_job_configuration?: Record<string, unknown>
}

/** Worker types, each with its default job template. */
export const workerTypesQuery = () =>
  queryOptions({
    queryKey: ['worker-types'],
    queryFn: async ({ signal }) => {
      const byCollection = await call<Record<string, Record<string, WorkerType>>>('GET', '/collections/views/aggregate-worker-metadata', { signal })
      return Object.values(byCollection).flatMap((types) => Object.values(types))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export const createWorkPool = (pool: WorkPoolCreate) => call<WorkPoolResponse>('POST', '/work_pools/', { body: pool })
export const updateWorkPool = (name: string, change: WorkPoolUpdate) => call<null>('PATCH', path(name), { body: change })
export const deleteWorkPool = (name: string) => call<null>('DELETE', path(name))

export const setWorkPoolPaused = (name: string, isPaused: boolean) => updateWorkPool(name, { is_paused: isPaused })

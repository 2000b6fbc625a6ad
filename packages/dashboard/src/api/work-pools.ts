import type { WorkPoolCreate, WorkPoolsFilterBody, WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'work-pools'

export const workPoolsQuery = (body: WorkPoolsFilterBody = {}) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => client.workPools.list(body, { signal }) })

export const workPoolQuery = (name: string) =>
  queryOptions({ queryKey: [noun, 'one', name], queryFn: ({ signal }) => client.workPools.read(name, { signal }) })

/** Runs that use slots, by queue. */
export const poolSlotsQuery = (name: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'slots-of-pool', name],
    queryFn: ({ signal }) => client.workPools.concurrencyStatus(name, { flow_run_limit: 50 }, { signal }),
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
      const byCollection = await client.server.collection('aggregate-worker-metadata', { signal })
      return Object.values(byCollection as Record<string, Record<string, WorkerType>>).flatMap((types) => Object.values(types))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export const createWorkPool = (pool: WorkPoolCreate) => client.workPools.create(pool)
export const updateWorkPool = (name: string, change: WorkPoolUpdate) => client.workPools.update(name, change)
export const deleteWorkPool = (name: string) => client.workPools.delete(name)

export const setWorkPoolPaused = (name: string, isPaused: boolean) => updateWorkPool(name, { is_paused: isPaused })

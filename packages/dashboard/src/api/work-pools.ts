import type { WorkPoolResponse, WorkPoolsFilterBody } from '@millrace/contracts/work-pool.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

const noun = 'work-pools'

export const workPoolsQuery = (body: Sent<typeof WorkPoolsFilterBody> = {}) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<WorkPoolResponse[]>('POST', '/work_pools/filter', { body, signal }) })

export const workPoolQuery = (name: string) =>
  queryOptions({
    queryKey: [noun, 'one', name],
    queryFn: ({ signal }) => call<WorkPoolResponse>('GET', `/work_pools/${encodeURIComponent(name)}`, { signal }),
  })

export const setWorkPoolPaused = (name: string, isPaused: boolean) =>
  call<null>('PATCH', `/work_pools/${encodeURIComponent(name)}`, { body: { is_paused: isPaused } })

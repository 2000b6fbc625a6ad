import type { ConcurrencyLimit } from '@millrace/contracts/concurrency-limit.ts'
import type {
  ConcurrencyLimitV2,
  ConcurrencyLimitV2Create,
  ConcurrencyLimitV2Update,
  GlobalConcurrencyLimitResponse,
} from '@millrace/contracts/global-concurrency-limit.ts'
import type { LimitHolders } from '@millrace/contracts/limit-holders.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

const noun = 'concurrency-limits'

/** Slot changes emit no events, so visible limits are polled. */
const refetchSeconds = 5

const pageSize = 200
const limitsMax = 5000

/** Loads all limits page by page: the API cannot search them. */
async function listAllLimits(signal: AbortSignal): Promise<GlobalConcurrencyLimitResponse[]> {
  const found: GlobalConcurrencyLimitResponse[] = []
  for (;;) {
    const body = { limit: pageSize, offset: found.length }
    const page = await call<GlobalConcurrencyLimitResponse[]>('POST', '/v2/concurrency_limits/filter', { body, signal })
    found.push(...page)
    if (page.length < pageSize || found.length >= limitsMax) return found
  }
}

export const concurrencyLimitsQuery = () =>
  queryOptions({ queryKey: [noun, 'list'], queryFn: ({ signal }) => listAllLimits(signal), refetchInterval: refetchSeconds * 1000 })

export const concurrencyLimitQuery = (idOrName: string) =>
  queryOptions({
    queryKey: [noun, 'one', idOrName],
    queryFn: ({ signal }) => call<GlobalConcurrencyLimitResponse>('GET', `/v2/concurrency_limits/${encodeURIComponent(idOrName)}`, { signal }),
    refetchInterval: refetchSeconds * 1000,
  })

/** Holders of slots, and callers that wait for one. */
export const limitHoldersQuery = (idOrName: string) =>
  queryOptions({
    queryKey: [noun, 'holders', idOrName],
    queryFn: ({ signal }) => call<LimitHolders>('GET', `/v2/concurrency_limits/${encodeURIComponent(idOrName)}/holders`, { signal }),
    refetchInterval: refetchSeconds * 1000,
  })

export const createLimit = (limit: ConcurrencyLimitV2Create) => call<ConcurrencyLimitV2>('POST', '/v2/concurrency_limits/', { body: limit })
export const updateLimit = (id: string, change: ConcurrencyLimitV2Update) => call<null>('PATCH', `/v2/concurrency_limits/${id}`, { body: change })
export const deleteLimit = (id: string) => call<null>('DELETE', `/v2/concurrency_limits/${id}`)

/** Ends the lease and frees its slots. */
export const releaseLease = (leaseId: string) => call<null>('POST', '/v2/concurrency_limits/decrement-with-lease', { body: { lease_id: leaseId } })

/** The limit of a tag is named `tag:<tag>`. These operations take the tag. */
export const createTagLimit = (tag: string, limit: number) =>
  call<ConcurrencyLimit>('POST', '/concurrency_limits/', { body: { tag, concurrency_limit: limit } })
export const resetTagLimit = (tag: string) => call<null>('POST', `/concurrency_limits/tag/${encodeURIComponent(tag)}/reset`, { body: {} })
export const deleteTagLimit = (tag: string) => call<null>('DELETE', `/concurrency_limits/tag/${encodeURIComponent(tag)}`)

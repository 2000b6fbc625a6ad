import type {
  ConcurrencyLimitV2Create,
  ConcurrencyLimitV2Update,
  GlobalConcurrencyLimitResponse,
} from '@millrace/contracts/global-concurrency-limit.ts'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'concurrency-limits'

/** Slot changes emit no events, so visible limits are polled. */
const refetchSeconds = 5

const limitsMax = 5000

/** Loads all limits page by page: the API cannot search them. */
async function listAllLimits(signal: AbortSignal): Promise<GlobalConcurrencyLimitResponse[]> {
  const found: GlobalConcurrencyLimitResponse[] = []
  for await (const limit of client.concurrencyLimits.listAll({}, { max: limitsMax, signal })) found.push(limit)
  return found
}

export const concurrencyLimitsQuery = () =>
  queryOptions({ queryKey: [noun, 'list'], queryFn: ({ signal }) => listAllLimits(signal), refetchInterval: refetchSeconds * 1000 })

export const concurrencyLimitQuery = (idOrName: string) =>
  queryOptions({
    queryKey: [noun, 'one', idOrName],
    queryFn: ({ signal }) => client.concurrencyLimits.read(idOrName, { signal }),
    refetchInterval: refetchSeconds * 1000,
  })

/** Holders of slots, and callers that wait for one. */
export const limitHoldersQuery = (idOrName: string) =>
  queryOptions({
    queryKey: [noun, 'holders', idOrName],
    queryFn: ({ signal }) => client.concurrencyLimits.listHolders(idOrName, { signal }),
    refetchInterval: refetchSeconds * 1000,
  })

export const createLimit = (limit: ConcurrencyLimitV2Create) => client.concurrencyLimits.create(limit)
export const updateLimit = (id: string, change: ConcurrencyLimitV2Update) => client.concurrencyLimits.update(id, change)
export const deleteLimit = (id: string) => client.concurrencyLimits.delete(id)

/** Ends the lease and frees its slots. */
export const releaseLease = (leaseId: string) => client.concurrencyLimits.releaseLease({ lease_id: leaseId })

/** The limit of a tag is named `tag:<tag>`. These operations take the tag. */
export const createTagLimit = (tag: string, limit: number) => client.tagConcurrencyLimits.create({ tag, concurrency_limit: limit })
export const resetTagLimit = (tag: string) => client.tagConcurrencyLimits.resetByTag(tag)
export const deleteTagLimit = (tag: string) => client.tagConcurrencyLimits.deleteByTag(tag)

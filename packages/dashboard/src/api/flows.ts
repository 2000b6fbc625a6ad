import type { Flow, FlowPaginationResponse, FlowsFilterBody, FlowsPaginateBody } from '@millrace/contracts/flow.ts'
import type { CountsById } from '@millrace/contracts/ui.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from './batch-loader.ts'
import { call, type RequestBody } from './client.ts'

const noun = 'flows'
const staleSeconds = 300

export const flowsQuery = (body: RequestBody<typeof FlowsFilterBody> = {}) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<Flow[]>('POST', '/flows/filter', { body, signal }) })

export const flowPageQuery = (body: RequestBody<typeof FlowsPaginateBody>) =>
  queryOptions({
    queryKey: [noun, 'page', body],
    queryFn: ({ signal }) => call<FlowPaginationResponse>('POST', '/flows/paginate', { body, signal }),
    placeholderData: keepPreviousData,
  })

const loadFlow = createBatchLoader((ids) => call<Flow[]>('POST', '/flows/filter', { body: { flows: { id: { any_: ids } } } }))

/** One flow by id, batched over table rows. Null if it does not exist. */
export const flowQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: async () => (await loadFlow(id)) ?? null, staleTime: staleSeconds * 1000 })

export const deploymentCountsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['deployments', 'count-by-flow', ids],
    queryFn: ({ signal }) => call<CountsById>('POST', '/ui/flows/count-deployments', { body: { flow_ids: ids }, signal }),
    placeholderData: keepPreviousData,
  })

/** Also deletes its deployments and runs. */
export const deleteFlow = (id: string) => call<null>('DELETE', `/flows/${id}`)

export const setFlowTags = (id: string, tags: string[]) => call<null>('PATCH', `/flows/${id}`, { body: { tags } })

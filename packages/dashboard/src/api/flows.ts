import type { FlowsFilterBody, FlowsPaginateBody } from '@millrace/contracts/flow.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from './batch-loader.ts'
import { client } from './client.ts'

const noun = 'flows'
const staleSeconds = 300

export const flowsQuery = (body: FlowsFilterBody = {}) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => client.flows.list(body, { signal }) })

export const flowPageQuery = (body: FlowsPaginateBody) =>
  queryOptions({
    queryKey: [noun, 'page', body],
    queryFn: ({ signal }) => client.flows.page(body, { signal }),
    placeholderData: keepPreviousData,
  })

const loadFlow = createBatchLoader((ids) => client.flows.list({ flows: { id: { any_: ids } } }))

/** One flow by id, batched over table rows. Null if it does not exist. */
export const flowQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: async () => (await loadFlow(id)) ?? null, staleTime: staleSeconds * 1000 })

export const deploymentCountsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['deployments', 'count-by-flow', ids],
    queryFn: ({ signal }) => client.flows.countDeployments({ flow_ids: [...ids] }, { signal }),
    placeholderData: keepPreviousData,
  })

/** Also deletes its deployments and runs. */
export const deleteFlow = (id: string) => client.flows.delete(id)

export const setFlowTags = (id: string, tags: string[]) => client.flows.update(id, { tags })

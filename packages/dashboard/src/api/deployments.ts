import type {
  DeploymentBulkDeleteResponse,
  DeploymentCreate,
  DeploymentPaginationResponse,
  DeploymentResponse,
  DeploymentsFilterBody,
  DeploymentsPaginateBody,
  DeploymentUpdate,
} from '@millrace/contracts/deployment.ts'
import type { DeploymentFlowRunCreate, FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from './batch-loader.ts'
import { call, type RequestBody } from './client.ts'

const noun = 'deployments'
const staleSeconds = 300

export const deploymentsQuery = (body: RequestBody<typeof DeploymentsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<DeploymentResponse[]>('POST', '/deployments/filter', { body, signal }),
  })

export const deploymentPageQuery = (body: RequestBody<typeof DeploymentsPaginateBody>) =>
  queryOptions({
    queryKey: [noun, 'page', body],
    queryFn: ({ signal }) => call<DeploymentPaginationResponse>('POST', '/deployments/paginate', { body, signal }),
    placeholderData: keepPreviousData,
  })

const loadDeployment = createBatchLoader((ids) =>
  call<DeploymentResponse[]>('POST', '/deployments/filter', { body: { deployments: { id: { any_: ids } } } }),
)

/** One deployment by id, batched over table rows. Null if it does not exist. */
export const deploymentQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: async () => (await loadDeployment(id)) ?? null, staleTime: staleSeconds * 1000 })

/** Creates a run, by default immediately and with the parameters of the deployment. */
export const runDeployment = (id: string, run: DeploymentFlowRunCreate = {}) =>
  call<FlowRunResponse>('POST', `/deployments/${id}/create_flow_run`, { body: run })

export const setDeploymentPaused = (id: string, paused: boolean) =>
  call<null>('POST', `/deployments/${id}/${paused ? 'pause_deployment' : 'resume_deployment'}`)

export const updateDeployment = (id: string, change: DeploymentUpdate) => call<null>('PATCH', `/deployments/${id}`, { body: change })

export const createDeployment = (deployment: DeploymentCreate) => call<DeploymentResponse>('POST', '/deployments/', { body: deployment })

/** Batch limit of the server. */
const bulkSizeMax = 50

/** Also deletes scheduled runs. Past runs are kept. */
export async function deleteDeployments(ids: readonly string[]): Promise<string[]> {
  const deleted: string[] = []
  for (let at = 0; at < ids.length; at += bulkSizeMax) {
    const body = { deployments: { id: { any_: ids.slice(at, at + bulkSizeMax) } }, limit: bulkSizeMax }
    deleted.push(...(await call<DeploymentBulkDeleteResponse>('POST', '/deployments/bulk_delete', { body })).deleted)
  }
  return deleted
}

import type {
  DeploymentPaginationResponse,
  DeploymentResponse,
  DeploymentsFilterBody,
  DeploymentsPaginateBody,
} from '@millrace/contracts/deployment.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { batched } from './batch.ts'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

const noun = 'deployments'
const nameSeconds = 300

export const deploymentsQuery = (body: Sent<typeof DeploymentsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<DeploymentResponse[]>('POST', '/deployments/filter', { body, signal }),
  })

export const deploymentPageQuery = (body: Sent<typeof DeploymentsPaginateBody>) =>
  queryOptions({
    queryKey: [noun, 'page', body],
    queryFn: ({ signal }) => call<DeploymentPaginationResponse>('POST', '/deployments/paginate', { body, signal }),
    placeholderData: keepPreviousData,
  })

const readDeployment = batched((ids) => call<DeploymentResponse[]>('POST', '/deployments/filter', { body: { deployments: { id: { any_: ids } } } }))

/** One deployment, by its id; rows of a table may each ask for theirs. Null when it is gone. */
export const deploymentQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: async () => (await readDeployment(id)) ?? null, staleTime: nameSeconds * 1000 })

/** A run now, with the deployment's own parameters. */
export const runDeployment = (id: string) => call<FlowRunResponse>('POST', `/deployments/${id}/create_flow_run`, { body: {} })

export const pauseDeployment = (id: string, paused: boolean) =>
  call<null>('POST', `/deployments/${id}/${paused ? 'pause_deployment' : 'resume_deployment'}`)

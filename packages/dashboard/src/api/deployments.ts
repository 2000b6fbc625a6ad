import type { DeploymentCreate, DeploymentsFilterBody, DeploymentsPaginateBody, DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from './batch-loader.ts'
import { client } from './client.ts'

const noun = 'deployments'
const staleSeconds = 300

export const deploymentsQuery = (body: DeploymentsFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.deployments.list(body, { signal }),
  })

export const deploymentPageQuery = (body: DeploymentsPaginateBody) =>
  queryOptions({
    queryKey: [noun, 'page', body],
    queryFn: ({ signal }) => client.deployments.page(body, { signal }),
    placeholderData: keepPreviousData,
  })

const loadDeployment = createBatchLoader((ids) => client.deployments.list({ deployments: { id: { any_: ids } } }))

/** One deployment by id, batched over table rows. Null if it does not exist. */
export const deploymentQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: async () => (await loadDeployment(id)) ?? null, staleTime: staleSeconds * 1000 })

/** Creates a run, by default immediately and with the parameters of the deployment. */
export const runDeployment = (id: string, run: DeploymentFlowRunCreate = {}) => client.deployments.createFlowRun(id, run)

export const setDeploymentPaused = (id: string, paused: boolean) => (paused ? client.deployments.pause(id) : client.deployments.resume(id))

export const updateDeployment = (id: string, change: DeploymentUpdate) => client.deployments.update(id, change)

export const createDeployment = (deployment: DeploymentCreate) => client.deployments.create(deployment)

/** Batch limit of the server. */
const bulkSizeMax = 50

/** Also deletes scheduled runs. Past runs are kept. */
export async function deleteDeployments(ids: readonly string[]): Promise<string[]> {
  const deleted: string[] = []
  for (let at = 0; at < ids.length; at += bulkSizeMax) {
    const body = { deployments: { id: { any_: ids.slice(at, at + bulkSizeMax) } }, limit: bulkSizeMax }
    deleted.push(...(await client.deployments.deleteMatching(body)).deleted)
  }
  return deleted
}

import { type HttpConnection, StatusError } from './http-connection.ts'

export const flowCount = 10
export const deploymentCount = 50

/** What every workload refers to. */
export interface Fixtures {
  /** Starts the names of flows, deployments and the pool. */
  readonly prefix: string
  readonly flowIds: readonly string[]
  readonly deploymentIds: readonly string[]
  readonly poolId: string
  readonly poolName: string
}

export const flowName = (prefix: string, number: number): string => `${prefix}-flow-${number}`
export const poolNameOf = (prefix: string): string => `${prefix}-pool`
export const flowNames = (prefix: string): string[] => Array.from({ length: flowCount }, (_, number) => flowName(prefix, number))

/** Tag of seeded runs. The tag of the prefix distinguishes two seeds on one server. */
export const seedTag = (prefix: string): string => `${prefix}-seed`

/** Creates the flows, the work pool and the deployments that are missing. */
export async function ensureFixtures(http: HttpConnection, prefix: string): Promise<Fixtures> {
  const flowIds: string[] = []
  for (const name of flowNames(prefix)) flowIds.push((await http.post('/flows/', { name, tags: [prefix] })).id)
  const poolName = poolNameOf(prefix)
  const pool = await ensurePool(http, poolName)
  const deploymentIds: string[] = []
  for (let number = 0; number < deploymentCount; number += 1) {
    const deployment = await http.post('/deployments/', {
      name: `${prefix}-deployment-${number}`,
      flow_id: flowIds[number % flowCount],
      work_pool_name: poolName,
      tags: [prefix, `team-${number % 20}`],
      entrypoint: 'flows.py:main',
      path: '/srv/flows',
      parameters: { dry_run: false },
      parameter_openapi_schema: { type: 'object', properties: {} },
      enforce_parameter_schema: false,
    })
    deploymentIds.push(deployment.id)
  }
  return { prefix, flowIds, deploymentIds, poolId: pool.id, poolName }
}

async function ensurePool(http: HttpConnection, name: string): Promise<{ readonly id: string }> {
  try {
    return await http.post('/work_pools/', { name, type: 'process', base_job_template: {} })
  } catch (error) {
    if (!(error instanceof StatusError && error.status === 409)) throw error
    return http.get(`/work_pools/${name}`)
  }
}

const isGone = (error: unknown): boolean => error instanceof StatusError && error.status === 404

/** The API deletes at most this many runs with one request. */
const deleteBatch = 50

/** Deletes the flows of a prefix with their runs, deployments and logs, and the pool. Events stay until the server's retention removes them. */
export async function removeFixtures(http: HttpConnection, prefix: string, onProgress: (deleted: number) => void = () => {}): Promise<number> {
  let removed = 0
  const names = flowNames(prefix)
  // First, so that the scheduler creates no more runs.
  for (;;) {
    const found: { id: string }[] = await http.post('/deployments/filter', { flows: { name: { any_: names } }, limit: deleteBatch })
    for (const { id } of found) await http.raw('DELETE', `/deployments/${id}`).catch(ignoreGone)
    if (found.length < deleteBatch) break
  }
  for (;;) {
    const flows: { id: string }[] = await http.post('/flows/filter', { flows: { name: { any_: names } } })
    if (flows.length === 0) break
    const runs: { id: string }[] = await http.post('/flow_runs/filter', { flows: { name: { any_: names } }, limit: 200, sort: 'ID_DESC' })
    if (runs.length === 0) {
      for (const { id } of flows) await http.raw('DELETE', `/flows/${id}`).catch(ignoreGone)
      break
    }
    for (let from = 0; from < runs.length; from += deleteBatch) {
      const ids = runs.slice(from, from + deleteBatch).map(({ id }) => id)
      await http.post('/flow_runs/bulk_delete', { flow_runs: { id: { any_: ids } }, limit: deleteBatch })
      removed += ids.length
      onProgress(removed)
    }
  }
  await http.raw('DELETE', `/work_pools/${poolNameOf(prefix)}`).catch(ignoreGone)
  return removed
}

function ignoreGone(error: unknown): void {
  if (!isGone(error)) throw error
}

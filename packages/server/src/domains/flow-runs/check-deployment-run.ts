import { ApiError, CheckLimitExceeded, notFound } from '../../errors.ts'
import { jsonText, mergeJsonObjects } from '../../lib/json.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { CheckOutdated } from '../../storage/checked-write.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { acceptsAnything, checkParameters } from '../deployments/check-parameters.ts'
import { hydrateText } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { assertJobVariables } from '../deployments/job-variables.ts'
import { type CheckedRun, type DeploymentRunRequest, type RunSource, readRunSources } from './deployment-run-request.ts'
import { jobVariablesText } from './draft.ts'

/** The run was not checked, or was checked against an older version of this source. */
export class CheckRequired extends CheckOutdated {
  readonly source: RunSource

  constructor(source: RunSource) {
    super('The run must be checked against its deployment first')
    this.source = source
  }
}

/** Whether the parameters are checked. The request overrides the deployment. */
const isEnforced = (source: RunSource, { body }: DeploymentRunRequest): boolean =>
  body.enforce_parameter_schema ?? toBoolean(source.enforce_parameter_schema)

export const needsCheck = (source: RunSource, run: DeploymentRunRequest): boolean =>
  (isEnforced(source, run) && (source.parameter_openapi_schema === null || !acceptsAnything(source.parameter_openapi_schema))) ||
  (source.base_job_template !== null && source.base_job_template !== '{}')

/** Whether a check against one version of a source is valid for another. */
export const isCheckValid = (checked: RunSource, now: RunSource): boolean =>
  checked.parameter_openapi_schema === now.parameter_openapi_schema &&
  checked.base_job_template === now.base_job_template &&
  checked.parameters === now.parameters &&
  checked.job_variables === now.job_variables &&
  toBoolean(checked.enforce_parameter_schema) === toBoolean(now.enforce_parameter_schema)

export const mergeParameters = (source: RunSource, { body }: DeploymentRunRequest): string =>
  mergeJsonObjects(source.parameters, jsonText(body.parameters))

/** Checks the parameters against the deployment and the job variables against its pool. Throws the error of the response. */
export async function validateRun(context: ServerContext, source: RunSource, run: DeploymentRunRequest): Promise<CheckedRun> {
  const merged = mergeParameters(source, run)
  const parameters = hydrateText(merged, await hydrationContext(context, context.reads, [merged]))
  if (isEnforced(source, run)) {
    const error = await checkParameters(context, source.parameter_openapi_schema, parameters, { partial: false })
    if (error) throw error
  }
  if (source.base_job_template !== null)
    await assertJobVariables(context, source.base_job_template, [source.job_variables, jobVariablesText(run.body)], { partial: false })
  return { source, parameters }
}

/** Reads the deployment and checks the run against it. */
export async function readAndCheckRun(context: ServerContext, run: DeploymentRunRequest): Promise<DeploymentRunRequest> {
  const source = (await readRunSources(context.reads, [run.deploymentId])).get(run.deploymentId)
  if (!source) throw notFound('Deployment')
  return withCheck(context, source, run)
}

/** Adds the check to the request if the run needs one. */
const withCheck = async (context: ServerContext, source: RunSource, run: DeploymentRunRequest): Promise<DeploymentRunRequest> =>
  needsCheck(source, run) ? { ...run, checked: await validateRun(context, source, run) } : run

/** Reads each deployment once and checks its runs in order. Each fails on its own. */
export async function readAndCheckRuns(context: ServerContext, runs: readonly DeploymentRunRequest[]): Promise<(DeploymentRunRequest | ApiError)[]> {
  const sources = await readRunSources(context.reads, [...new Set(runs.map(({ deploymentId }) => deploymentId))])
  const results: (DeploymentRunRequest | ApiError)[] = []
  let limit: CheckLimitExceeded | undefined
  for (const run of runs) {
    const source = sources.get(run.deploymentId)
    const result = limit ?? (source ? await catchApiError(withCheck(context, source, run)) : notFound('Deployment'))
    // A schema that takes too long is not evaluated again for the other runs.
    if (result instanceof CheckLimitExceeded) limit = result
    results.push(result)
  }
  return results
}

async function catchApiError<R>(result: Promise<R>): Promise<R | ApiError> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/** The sources of recent runs. A check against a cached source saves a read; the transaction that creates the run verifies that it is still valid. */
const sourceCache = perServer(() => new LruCache<string, RunSource>({ entriesMax: 1000, weightMax: 4 * 1024 * 1024 }))

export function cacheSource(context: ServerContext, source: RunSource): void {
  const weight = source.parameters.length + (source.parameter_openapi_schema?.length ?? 0) + (source.base_job_template?.length ?? 0)
  sourceCache(context).set(source.id, source, weight)
}

/** Checks the run against the cached source of its deployment, if there is one. A failed check counts only if the deployment is unchanged. */
export async function checkWithCachedSource(context: ServerContext, run: DeploymentRunRequest): Promise<DeploymentRunRequest> {
  const source = sourceCache(context).get(run.deploymentId)
  if (!source) return run
  try {
    return await withCheck(context, source, run)
  } catch (error) {
    const now = (await readRunSources(context.reads, [run.deploymentId])).get(run.deploymentId)
    if (now && isCheckValid(source, now)) throw error
    sourceCache(context).delete(run.deploymentId)
    return run
  }
}

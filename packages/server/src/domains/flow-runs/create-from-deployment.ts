import { ApiError, badRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { CheckOutdated, retryWhileOutdated } from '../../storage/checked-write.ts'
import type { Tx } from '../../storage/database.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { hydrateText } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { toReceivedState } from '../run-state.ts'
import { ensureQueue } from '../work-queues/ensure-queue.ts'
import {
  CheckRequired,
  cacheSource,
  checkWithCachedSource,
  isCheckValid,
  mergeParameters,
  needsCheck,
  readAndCheckRuns,
} from './check-deployment-run.ts'
import { type CreatedFlowRun, type FlowRunDraft, flowRunCreationBatch } from './create-run.ts'
import { type DeploymentRunRequest, type RunSource, readRunSources } from './deployment-run-request.ts'
import { jobVariablesText, parsePolicy } from './draft.ts'

/** Makes a run of a deployment. It is checked outside of the transaction that makes it. */
export const createDeploymentRun = (context: ServerContext, run: DeploymentRunRequest): Promise<CreatedFlowRun> =>
  retryWhileOutdated(async () => {
    const checked = await checkWithCachedSource(context, run)
    try {
      return await context.writeQueue.submitTo(deploymentRunBatch(context), checked)
    } catch (error) {
      if (error instanceof CheckRequired) cacheSource(context, error.source)
      throw error
    }
  })

/** Makes several runs of one deployment in one transaction. Each succeeds or fails alone. */
export async function createDeploymentRuns(context: ServerContext, runs: readonly DeploymentRunRequest[]): Promise<(CreatedFlowRun | Error)[]> {
  const results: (CreatedFlowRun | Error)[] = []
  let waiting = [...runs.keys()]
  await retryWhileOutdated(async () => {
    const outcomes = await readAndCheckRuns(
      context,
      waiting.map((index) => runs[index] as DeploymentRunRequest),
    )
    const places: number[] = []
    const checked: DeploymentRunRequest[] = []
    outcomes.forEach((outcome, at) => {
      const index = waiting[at] as number
      if (outcome instanceof ApiError) results[index] = outcome
      else {
        places.push(index)
        checked.push(outcome)
      }
    })
    const made = checked.length === 0 ? [] : await context.writeQueue.submit((tx) => deploymentRunBatch(context)(tx, checked))
    made.forEach((result, at) => {
      results[places[at] as number] = result
    })
    waiting = places.filter((_, at) => made[at] instanceof CheckRequired)
    if (waiting.length > 0) throw new CheckOutdated('A deployment has changed')
  })
  return results
}

/**
 * Makes runs of deployments: with their parameters, tags and queue, unless the request says otherwise. Each succeeds or fails alone. A run that has to
 * be checked first, or again, fails with a CheckNeeded.
 */
export const deploymentRunBatch = perServer(
  (context): Batch<DeploymentRunRequest, CreatedFlowRun> =>
    async (tx, asked) => {
      const known = await readRunSources(tx, [...new Set(asked.map(({ deploymentId }) => deploymentId))])
      const results: (CreatedFlowRun | Error)[] = []
      const drafts: FlowRunDraft[] = []
      const places: number[] = []
      const held = asked.map(({ deploymentId, checked }) => {
        const source = known.get(deploymentId)
        return checked && source && isCheckValid(checked.source, source) ? checked : undefined
      })
      const merged = asked.map((run, index) => {
        const source = held[index] ? undefined : known.get(run.deploymentId)
        return source ? mergeParameters(source, run) : '{}'
      })
      const hydration = await hydrationContext(context, tx, merged)
      for (const [index, run] of asked.entries()) {
        try {
          const source = known.get(run.deploymentId)
          if (!source) throw notFound('Deployment')
          const checked = held[index]
          if (!checked && needsCheck(source, run)) throw new CheckRequired(source)
          drafts.push(await toDraft(context, tx, source, run, checked?.parameters ?? hydrateText(merged[index] as string, hydration)))
          places.push(index)
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof CheckRequired)) throw error
          results[index] = error
        }
      }
      const made = drafts.length === 0 ? [] : await flowRunCreationBatch(context)(tx, drafts)
      made.forEach((result, at) => {
        results[places[at] as number] = result
      })
      return results
    },
)

async function toDraft(context: ServerContext, tx: Tx, source: RunSource, run: DeploymentRunRequest, parameters: string): Promise<FlowRunDraft> {
  const { body } = run
  const queue = body.work_queue_name
    ? await resolveQueue(context, tx, source, body.work_queue_name)
    : { id: source.work_queue_id, name: source.work_queue_name }
  return {
    flow_id: source.flow_id,
    name: body.name ?? null,
    state: body.state ? toReceivedState(body.state) : { type: 'SCHEDULED' },
    deployment_id: source.id,
    deployment_version: source.version,
    parameters,
    context: jsonText(body.context),
    empirical_policy: parsePolicy(body.empirical_policy),
    tags: JSON.stringify([...new Set([...(JSON.parse(source.tags) as string[]), ...body.tags])]),
    labels: body.labels,
    parent_task_run_id: body.parent_task_run_id,
    infrastructure_document_id: body.infrastructure_document_id ?? source.infrastructure_document_id,
    idempotency_key: body.idempotency_key,
    work_queue_id: queue.id,
    work_queue_name: queue.name,
    job_variables: jobVariablesText(body),
    created_by: run.createdBy ?? null,
  }
}

async function resolveQueue(context: ServerContext, tx: Tx, source: RunSource, name: string): Promise<{ id: string; name: string }> {
  if (source.pool_name === null) throw badRequest(`There is no work pool to put the run into the queue "${name}" of: the deployment has none`)
  return ensureQueue(context, tx, { pool: source.pool_name, queue: name })
}

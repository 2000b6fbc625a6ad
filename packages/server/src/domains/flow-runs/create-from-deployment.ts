import { ApiError, badRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { CheckOutdated, retryWhileOutdated } from '../../storage/checked-write.ts'
import type { Tx } from '../../storage/database.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { hydrated } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { receivedState } from '../received-state.ts'
import { ensureQueue } from '../work-queues/ensure-queue.ts'
import { CheckNeeded, checkByRecent, checkHolds, mergedParameters, needsCheck, readAndCheckRuns, remember } from './check-deployment-run.ts'
import { type CreatedFlowRun, type FlowRunDraft, flowRunCreations } from './create-run.ts'
import { type DeploymentRun, readSources, type Source } from './deployment-run.ts'
import { askedPolicy, variablesText } from './draft.ts'

/** Makes a run of a deployment. It is checked outside of the transaction that makes it. */
export const createRunOfDeployment = (context: ServerContext, run: DeploymentRun): Promise<CreatedFlowRun> =>
  retryWhileOutdated(async () => {
    const checked = await checkByRecent(context, run)
    try {
      return await context.writeQueue.submitTo(runsFromDeployments(context), checked)
    } catch (error) {
      if (error instanceof CheckNeeded) remember(context, error.source)
      throw error
    }
  })

/** Makes several runs of one deployment in one transaction. Each succeeds or fails alone. */
export async function createRunsOfDeployment(context: ServerContext, runs: readonly DeploymentRun[]): Promise<(CreatedFlowRun | Error)[]> {
  const results: (CreatedFlowRun | Error)[] = []
  let waiting = [...runs.keys()]
  await retryWhileOutdated(async () => {
    const outcomes = await readAndCheckRuns(
      context,
      waiting.map((index) => runs[index] as DeploymentRun),
    )
    const places: number[] = []
    const checked: DeploymentRun[] = []
    outcomes.forEach((outcome, at) => {
      const index = waiting[at] as number
      if (outcome instanceof ApiError) results[index] = outcome
      else {
        places.push(index)
        checked.push(outcome)
      }
    })
    const made = checked.length === 0 ? [] : await context.writeQueue.submit((tx) => runsFromDeployments(context)(tx, checked))
    made.forEach((result, at) => {
      results[places[at] as number] = result
    })
    waiting = places.filter((_, at) => made[at] instanceof CheckNeeded)
    if (waiting.length > 0) throw new CheckOutdated('A deployment has changed')
  })
  return results
}

/**
 * Makes runs of deployments: with their parameters, tags and queue, unless the request says otherwise. Each succeeds or fails alone. A run that has to
 * be checked first, or again, fails with a CheckNeeded.
 */
export const runsFromDeployments = perServer(
  (context): Batch<DeploymentRun, CreatedFlowRun> =>
    async (tx, asked) => {
      const known = await readSources(tx, [...new Set(asked.map(({ deploymentId }) => deploymentId))])
      const results: (CreatedFlowRun | Error)[] = []
      const drafts: FlowRunDraft[] = []
      const places: number[] = []
      const held = asked.map(({ deploymentId, checked }) => {
        const source = known.get(deploymentId)
        return checked && source && checkHolds(checked.source, source) ? checked : undefined
      })
      const merged = asked.map((run, index) => {
        const source = held[index] ? undefined : known.get(run.deploymentId)
        return source ? mergedParameters(source, run) : '{}'
      })
      const hydration = await hydrationContext(context, tx, merged)
      for (const [index, run] of asked.entries()) {
        try {
          const source = known.get(run.deploymentId)
          if (!source) throw notFound('Deployment')
          const checked = held[index]
          if (!checked && needsCheck(source, run)) throw new CheckNeeded(source)
          drafts.push(await draftOf(context, tx, source, run, checked?.parameters ?? hydrated(merged[index] as string, hydration)))
          places.push(index)
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof CheckNeeded)) throw error
          results[index] = error
        }
      }
      const made = drafts.length === 0 ? [] : await flowRunCreations(context)(tx, drafts)
      made.forEach((result, at) => {
        results[places[at] as number] = result
      })
      return results
    },
)

async function draftOf(context: ServerContext, tx: Tx, source: Source, run: DeploymentRun, parameters: string): Promise<FlowRunDraft> {
  const { body } = run
  const queue = body.work_queue_name
    ? await queueOf(context, tx, source, body.work_queue_name)
    : { id: source.work_queue_id, name: source.work_queue_name }
  return {
    flow_id: source.flow_id,
    name: body.name ?? null,
    state: body.state ? receivedState(body.state) : { type: 'SCHEDULED' },
    deployment_id: source.id,
    deployment_version: source.version,
    parameters,
    context: jsonText(body.context),
    empirical_policy: askedPolicy(body.empirical_policy),
    tags: JSON.stringify([...new Set([...(JSON.parse(source.tags) as string[]), ...body.tags])]),
    labels: body.labels,
    parent_task_run_id: body.parent_task_run_id,
    infrastructure_document_id: body.infrastructure_document_id ?? source.infrastructure_document_id,
    idempotency_key: body.idempotency_key,
    work_queue_id: queue.id,
    work_queue_name: queue.name,
    job_variables: variablesText(body),
    created_by: run.createdBy ?? null,
  }
}

async function queueOf(context: ServerContext, tx: Tx, source: Source, name: string): Promise<{ id: string; name: string }> {
  if (source.pool_name === null) throw badRequest(`There is no work pool to put the run into the queue "${name}" of: the deployment has none`)
  return ensureQueue(context, tx, { pool: source.pool_name, queue: name })
}

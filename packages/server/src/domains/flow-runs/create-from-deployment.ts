import { ApiError, badRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import type { CreatedFlowRun, FlowRunDraft } from '../../runs/command.ts'
import { CheckOutdated, retryWhileOutdated } from '../../storage/checked-write.ts'
import type { Batch, Tx } from '../../storage/database.ts'
import { type ActingContext, perServer, type ServerContext } from '../../storage/server-context.ts'
import { hydrateText } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { toReceivedState } from '../run-states/received-state.ts'
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
import { type DeploymentRunRequest, type RunSource, readRunSources } from './deployment-run-request.ts'
import { jobVariablesText, parsePolicy } from './draft.ts'

/** Creates a run of a deployment. The check runs outside of the transaction that creates the run. */
export const createDeploymentRun = (context: ActingContext, run: DeploymentRunRequest): Promise<CreatedFlowRun> =>
  retryWhileOutdated(async () => {
    const checked = await checkWithCachedSource(context, run)
    try {
      return await context.commands.submitTo(deploymentRunBatch(context), checked)
    } catch (error) {
      if (error instanceof CheckRequired) cacheSource(context, error.source)
      throw error
    }
  })

/** Creates several runs of one deployment in one transaction. Each succeeds or fails on its own. */
export async function createDeploymentRuns(context: ActingContext, runs: readonly DeploymentRunRequest[]): Promise<(CreatedFlowRun | Error)[]> {
  const results: (CreatedFlowRun | Error)[] = []
  let pending = [...runs.keys()]
  await retryWhileOutdated(async () => {
    const outcomes = await readAndCheckRuns(
      context,
      pending.map((index) => runs[index] as DeploymentRunRequest),
    )
    const indexes: number[] = []
    const checked: DeploymentRunRequest[] = []
    outcomes.forEach((outcome, at) => {
      const index = pending[at] as number
      if (outcome instanceof ApiError) results[index] = outcome
      else {
        indexes.push(index)
        checked.push(outcome)
      }
    })
    const created = checked.length === 0 ? [] : await context.commands.submit((tx) => deploymentRunBatch(context)(tx, checked))
    created.forEach((result, at) => {
      results[indexes[at] as number] = result
    })
    pending = indexes.filter((_, at) => created[at] instanceof CheckRequired)
    if (pending.length > 0) throw new CheckOutdated('The deployment changed after the check')
  })
  return results
}

/**
 * Creates runs of deployments with the parameters, tags and queue of the deployment, unless the request overrides them. Each succeeds or fails on its own.
 * A run that needs a check, or another one, fails with `CheckRequired`.
 */
export const deploymentRunBatch = perServer(
  (context): Batch<DeploymentRunRequest, CreatedFlowRun> =>
    async (tx, requests) => {
      const sources = await readRunSources(tx, [...new Set(requests.map(({ deploymentId }) => deploymentId))])
      const results: (CreatedFlowRun | Error)[] = []
      const drafts: FlowRunDraft[] = []
      const indexes: number[] = []
      const validChecks = requests.map(({ deploymentId, checked }) => {
        const source = sources.get(deploymentId)
        return checked && source && isCheckValid(checked.source, source) ? checked : undefined
      })
      const merged = requests.map((run, index) => {
        const source = validChecks[index] ? undefined : sources.get(run.deploymentId)
        return source ? mergeParameters(source, run) : '{}'
      })
      const hydration = await hydrationContext(context, tx, merged)
      for (const [index, run] of requests.entries()) {
        try {
          const source = sources.get(run.deploymentId)
          if (!source) throw notFound('Deployment')
          const checked = validChecks[index]
          if (!checked && needsCheck(source, run)) throw new CheckRequired(source)
          drafts.push(await toDraft(context, tx, source, run, checked?.parameters ?? hydrateText(merged[index] as string, hydration)))
          indexes.push(index)
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof CheckRequired)) throw error
          results[index] = error
        }
      }
      const created = await changeRunsIn(
        context,
        tx,
        drafts.map((draft, at) => ({
          kind: 'create_flow_run' as const,
          actor: (requests[indexes[at] as number] as DeploymentRunRequest).actor,
          draft,
        })),
      )
      created.forEach((result, at) => {
        results[indexes[at] as number] = result
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
  if (source.pool_name === null) throw badRequest(`Cannot use work queue "${name}": the deployment has no work pool.`)
  return ensureQueue(context, tx, { pool: source.pool_name, queue: name })
}

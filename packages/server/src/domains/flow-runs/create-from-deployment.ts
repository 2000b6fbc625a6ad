import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { ApiError, badRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { mergedText } from '../../lib/json-object.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { Batch } from '../../storage/lane.ts'
import type { Parts } from '../../storage/parts.ts'
import { perParts } from '../../storage/per-parts.ts'
import { truth } from '../../storage/tables.ts'
import { parameterRefusal } from '../deployments/check-parameters.ts'
import { type HydrationContext, hydrated } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { refuseJobVariables } from '../deployments/job-variables.ts'
import { receivedState } from '../received-state.ts'
import { ensureQueue } from '../work-queues/ensure-queue.ts'
import { type CreatedFlowRun, type FlowRunDraft, flowRunCreations } from './create-run.ts'
import { askedPolicy, variablesText } from './draft.ts'
import type { Surroundings } from './surroundings.ts'

export interface DeploymentRun {
  readonly deploymentId: string
  readonly body: Received<typeof DeploymentFlowRunCreate>
  /** Who asks, when it is not a person: an automation, for instance. */
  readonly createdBy?: Surroundings['createdBy']
}

/** What a run takes from its deployment. */
interface Source {
  readonly id: string
  readonly flow_id: string
  readonly version: string | null
  readonly parameters: string
  readonly parameter_openapi_schema: string | null
  readonly enforce_parameter_schema: boolean | number
  readonly job_variables: string
  readonly tags: string
  readonly work_queue_id: string | null
  readonly work_queue_name: string | null
  readonly infrastructure_document_id: string | null
  readonly pool_name: string | null
  readonly base_job_template: string | null
}

const sources = statement(
  (dialect) => `select deployment.id, deployment.flow_id, deployment.version, deployment.parameters, deployment.parameter_openapi_schema,
    deployment.enforce_parameter_schema, deployment.job_variables, deployment.tags, deployment.work_queue_id, deployment.work_queue_name,
    deployment.infrastructure_document_id, work_pool.name as pool_name, work_pool.base_job_template
  from deployment
  left join work_queue on work_queue.id = deployment.work_queue_id
  left join work_pool on work_pool.id = work_queue.work_pool_id
  where ${dialect.inList('deployment.id', '$1', 'uuid')}`,
)

/** Makes runs of deployments: with their parameters, tags and queue, unless the request says otherwise. Each succeeds or fails alone. */
export const runsFromDeployments = perParts(
  (parts): Batch<DeploymentRun, CreatedFlowRun> =>
    async (tx, asked) => {
      const ids = [...new Set(asked.map(({ deploymentId }) => deploymentId))]
      const known = new Map((await tx.all<Source>(sources, [tx.dialect.list(ids)])).map((row) => [row.id, row]))
      const results: (CreatedFlowRun | Error)[] = []
      const drafts: FlowRunDraft[] = []
      const places: number[] = []
      const parameters = asked.map(({ deploymentId, body }) => mergedText(known.get(deploymentId)?.parameters ?? '{}', jsonText(body.parameters)))
      const context = await hydrationContext(parts, tx, parameters)
      for (const [index, run] of asked.entries()) {
        try {
          const source = known.get(run.deploymentId)
          if (!source) throw notFound('Deployment')
          drafts.push(await draftOf(parts, tx, source, run, parameters[index] as string, context))
          places.push(index)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          results[index] = error
        }
      }
      const made = drafts.length === 0 ? [] : await flowRunCreations(parts)(tx, drafts)
      made.forEach((result, at) => {
        results[places[at] as number] = result
      })
      return results
    },
)

async function draftOf(
  parts: Parts,
  tx: Tx,
  source: Source,
  run: DeploymentRun,
  dehydrated: string,
  context: HydrationContext,
): Promise<FlowRunDraft> {
  const { body } = run
  const parameters = hydrated(dehydrated, context)
  if (body.enforce_parameter_schema ?? truth(source.enforce_parameter_schema)) {
    const refusal = parameterRefusal(source.parameter_openapi_schema, parameters, { partial: false })
    if (refusal) throw refusal
  }
  const jobVariables = variablesText(body)
  if (source.base_job_template !== null) refuseJobVariables(source.base_job_template, [source.job_variables, jobVariables], { partial: false })
  const queue = body.work_queue_name
    ? await queueOf(parts, tx, source, body.work_queue_name)
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
    job_variables: jobVariables,
    created_by: run.createdBy ?? null,
  }
}

async function queueOf(parts: Parts, tx: Tx, source: Source, name: string): Promise<{ id: string; name: string }> {
  if (source.pool_name === null) throw badRequest(`There is no work pool to put the run into the queue "${name}" of: the deployment has none`)
  return ensureQueue(parts, tx, { pool: source.pool_name, queue: name })
}

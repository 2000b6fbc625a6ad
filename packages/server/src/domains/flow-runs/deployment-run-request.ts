import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { FlowRunEventContext } from './events.ts'

/** A run that is asked for. */
export interface DeploymentRunRequest {
  readonly deploymentId: string
  readonly body: Received<typeof DeploymentFlowRunCreate>
  /** Who asks, when it is not a person: an automation, for instance. */
  readonly createdBy?: FlowRunEventContext['createdBy']
  /** Without it, a run that has to be checked is not made. */
  readonly checked?: CheckedRun
}

/** What a run takes from its deployment. */
export interface RunSource {
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

/** The parameters and job variables of a run fit what its deployment and the pool asked for when that was read. */
export interface CheckedRun {
  readonly source: RunSource
  /** Those of the deployment and of the run, with placeholders replaced. */
  readonly parameters: string
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

/** By the id of the deployment. */
export const readRunSources = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, RunSource>> =>
  new Map((await db.all<RunSource>(sources, [db.dialect.list(ids)])).map((row) => [row.id, row]))

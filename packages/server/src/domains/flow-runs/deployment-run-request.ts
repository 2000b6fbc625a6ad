import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { Actor } from '../../lib/actor.ts'
import type { FlowRunEventContext } from '../../runs/flow-run-events.ts'
import { type Db, statement } from '../../storage/database.ts'

/** A request to create a run of a deployment. */
export interface DeploymentRunRequest {
  readonly actor: Actor
  readonly deploymentId: string
  readonly body: Received<typeof DeploymentFlowRunCreate>
  /** The creator if it is not a client, for example an automation. */
  readonly createdBy?: FlowRunEventContext['createdBy']
  /** Required if the run needs a check. */
  readonly checked?: CheckedRun
}

/** The fields of a deployment and its work pool that a run is created from. */
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

/** A successful check of a run against this version of its source. */
export interface CheckedRun {
  readonly source: RunSource
  /** The merged parameters of deployment and run, with placeholders replaced. */
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

const byId = statement('select 1 as one from deployment where id = $1')

export const deploymentExists = async (db: Db, id: string): Promise<boolean> => (await db.first(byId, [id])) !== undefined

/** By deployment id. */
export const readRunSources = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, RunSource>> =>
  new Map((await db.all<RunSource>(sources, [db.dialect.list(ids)])).map((row) => [row.id, row]))

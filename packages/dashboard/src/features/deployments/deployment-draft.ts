import type { DeploymentCreate, DeploymentResponse, DeploymentUpdate } from '@millrace/contracts/deployment.ts'

/** Form values of a deployment. */
export interface DeploymentDraft {
  readonly description: string
  readonly tags: readonly string[]
  /** Empty for no pool: the process that serves the deployment starts its runs. */
  readonly pool: string
  readonly queue: string
  /** Empty for no limit. */
  readonly limit: string
  readonly strategy: 'ENQUEUE' | 'CANCEL_NEW'
  /** Empty for the server's default. */
  readonly grace: string
  readonly enforce: boolean
  readonly parameters: unknown
  readonly jobVariables: unknown
}

export const toDeploymentDraft = (deployment: DeploymentResponse): DeploymentDraft => ({
  description: deployment.description ?? '',
  tags: deployment.tags,
  pool: deployment.work_pool_name ?? '',
  queue: deployment.work_queue_name ?? '',
  limit: deployment.global_concurrency_limit ? String(deployment.global_concurrency_limit.limit) : '',
  strategy: deployment.concurrency_options?.collision_strategy ?? 'ENQUEUE',
  grace: deployment.concurrency_options?.grace_period_seconds == null ? '' : String(deployment.concurrency_options.grace_period_seconds),
  enforce: deployment.enforce_parameter_schema,
  parameters: deployment.parameters,
  jobVariables: deployment.job_variables,
})

export interface DraftErrors {
  readonly limit?: string
  readonly grace?: string
}

export function validateDeploymentDraft({ limit, grace }: DeploymentDraft): DraftErrors {
  const isWhole = (text: string, least: number, most: number) => /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most
  return {
    ...(limit.trim() !== '' && !isWhole(limit, 1, Number.MAX_SAFE_INTEGER) && { limit: 'Enter a whole number, 1 or greater, or leave empty' }),
    ...(grace.trim() !== '' && !isWhole(grace, 60, 86_400) && { grace: 'Enter 60 to 86400 seconds, or leave empty' }),
  }
}

export function toDeploymentUpdate(draft: DeploymentDraft): DeploymentUpdate {
  const limit = draft.limit.trim() === '' ? null : Number(draft.limit)
  return {
    description: draft.description,
    tags: [...draft.tags],
    work_pool_name: draft.pool || null,
    work_queue_name: draft.pool ? draft.queue || 'default' : null,
    concurrency_limit: limit,
    concurrency_options:
      limit === null ? null : { collision_strategy: draft.strategy, ...(draft.grace.trim() !== '' && { grace_period_seconds: Number(draft.grace) }) },
    enforce_parameter_schema: draft.enforce,
    parameters: draft.parameters as Record<string, unknown>,
    job_variables: draft.jobVariables as Record<string, unknown>,
  }
}

/** Copies a deployment under another name. Its schedules are disabled, so that the two do not run at the same times. */
export function toDeploymentCopy(deployment: DeploymentResponse, name: string, draft: DeploymentDraft): DeploymentCreate {
  const { parameters, job_variables, enforce_parameter_schema, ...change } = toDeploymentUpdate(draft)
  return {
    ...change,
    name,
    flow_id: deployment.flow_id,
    paused: deployment.paused,
    enforce_parameter_schema: enforce_parameter_schema ?? true,
    parameters: parameters ?? {},
    job_variables: job_variables ?? {},
    schedules: deployment.schedules.map(({ schedule, max_scheduled_runs, parameters: scheduleParameters, slug }) => ({
      schedule,
      active: false,
      max_scheduled_runs,
      parameters: scheduleParameters,
      slug,
    })),
    parameter_openapi_schema: deployment.parameter_openapi_schema,
    labels: deployment.labels,
    pull_steps: deployment.pull_steps,
    path: deployment.path,
    version: deployment.version,
    entrypoint: deployment.entrypoint,
    storage_document_id: deployment.storage_document_id,
    infrastructure_document_id: deployment.infrastructure_document_id,
  }
}

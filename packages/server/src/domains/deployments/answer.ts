import type { DeploymentResponse, DeploymentStatus } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule } from '@millrace/contracts/schedule.ts'
import { stored } from '../../lib/json.ts'
import { formatNullable, formatTime } from '../../lib/time.ts'
import { truth } from '../../storage/tables.ts'
import type { ScheduleRow } from './schedules.ts'
import type { Deployment } from './store.ts'

/** A deployment as the API shows it. While it has a queue, its name is the queue's; afterwards, the name that was once asked for. */
export function deploymentAnswer(row: Deployment, schedules: readonly ScheduleRow[]): DeploymentResponse {
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    version: row.version,
    description: row.description,
    flow_id: row.flow_id,
    paused: truth(row.paused),
    schedules: schedules.map(scheduleAnswer),
    concurrency_limit: null,
    global_concurrency_limit: limitAnswer(row),
    concurrency_options: stored(row.concurrency_options),
    job_variables: stored(row.job_variables),
    parameters: stored(row.parameters),
    tags: stored(row.tags),
    labels: stored(row.labels),
    work_queue_name: row.queue_name ?? row.work_queue_name,
    work_queue_id: row.work_queue_id,
    last_polled: formatNullable(row.last_polled),
    parameter_openapi_schema: stored(row.parameter_openapi_schema),
    path: row.path,
    pull_steps: stored(row.pull_steps),
    entrypoint: row.entrypoint,
    storage_document_id: row.storage_document_id,
    infrastructure_document_id: row.infrastructure_document_id,
    created_by: stored(row.created_by),
    updated_by: stored(row.updated_by),
    work_pool_name: row.pool_name,
    status: row.status as DeploymentStatus,
    enforce_parameter_schema: truth(row.enforce_parameter_schema),
  }
}

function limitAnswer(row: Deployment): DeploymentResponse['global_concurrency_limit'] {
  if (row.concurrency_limit_id === null || row.limit_name === null) return null
  return {
    id: row.concurrency_limit_id,
    created: formatNullable(row.limit_created),
    updated: formatNullable(row.limit_updated),
    active: truth(row.limit_active ?? false),
    name: row.limit_name,
    limit: row.limit_slots ?? 0,
    active_slots: row.limit_used,
    slot_decay_per_second: row.limit_decay ?? 0,
  }
}

export const scheduleAnswer = (row: ScheduleRow): DeploymentSchedule => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  deployment_id: row.deployment_id,
  schedule: stored(row.schedule),
  active: truth(row.active),
  max_scheduled_runs: row.max_scheduled_runs,
  parameters: stored(row.parameters),
  slug: row.slug,
})

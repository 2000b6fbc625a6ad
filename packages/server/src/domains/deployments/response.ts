import type { DeploymentResponse, DeploymentStatus } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule } from '@millrace/contracts/schedule.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { readLimitUsages, toLimitResponse } from '../concurrency-limits/store.ts'
import { type Deployment, readSchedules, type ScheduleRow } from './store.ts'

/** Serializes deployments with their schedules and limits. */
export async function toDeploymentResponses({ clock, config }: ServerContext, db: Db, rows: readonly Deployment[]): Promise<DeploymentResponse[]> {
  if (rows.length === 0) return []
  const now = clock.now()
  const schedules = Map.groupBy(
    await readSchedules(
      db,
      rows.map(({ id }) => id),
    ),
    ({ deployment_id }) => deployment_id,
  )
  const limitIds = [...new Set(rows.flatMap(({ concurrency_limit_id: id }) => (id === null ? [] : [id])))]
  const window = { now, graceSeconds: config.services.lease_expiration.every_seconds }
  const limits = limitIds.length === 0 ? [] : await readLimitUsages(db, limitIds, window)
  const limitsById = new Map(limits.map((limit) => [limit.id, toLimitResponse(limit, now)]))
  return rows.map((row) => toDeploymentResponse(row, schedules.get(row.id) ?? [], limitsById.get(row.concurrency_limit_id ?? '') ?? null))
}

/** `work_queue_name` is the name of the current queue, or the requested name if the deployment has no queue. */
function toDeploymentResponse(
  row: Deployment,
  schedules: readonly ScheduleRow[],
  limit: DeploymentResponse['global_concurrency_limit'],
): DeploymentResponse {
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    version: row.version,
    description: row.description,
    flow_id: row.flow_id,
    paused: toBoolean(row.paused),
    schedules: schedules.map(toScheduleResponse),
    concurrency_limit: null,
    global_concurrency_limit: limit,
    concurrency_options: rawJson(row.concurrency_options),
    job_variables: rawJson(row.job_variables),
    parameters: rawJson(row.parameters),
    tags: rawJson(row.tags),
    labels: rawJson(row.labels),
    work_queue_name: row.queue_name ?? row.work_queue_name,
    work_queue_id: row.work_queue_id,
    last_polled: formatNullableTime(row.last_polled),
    parameter_openapi_schema: rawJson(row.parameter_openapi_schema),
    path: row.path,
    pull_steps: rawJson(row.pull_steps),
    entrypoint: row.entrypoint,
    storage_document_id: row.storage_document_id,
    infrastructure_document_id: row.infrastructure_document_id,
    created_by: rawJson(row.created_by),
    updated_by: rawJson(row.updated_by),
    work_pool_name: row.pool_name,
    status: row.status as DeploymentStatus,
    enforce_parameter_schema: toBoolean(row.enforce_parameter_schema),
  }
}

export const toScheduleResponse = (row: ScheduleRow): DeploymentSchedule => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  deployment_id: row.deployment_id,
  schedule: rawJson(row.schedule),
  active: toBoolean(row.active),
  max_scheduled_runs: row.max_scheduled_runs,
  parameters: rawJson(row.parameters),
  slug: row.slug,
})

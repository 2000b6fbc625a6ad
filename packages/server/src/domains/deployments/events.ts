import { isDeepStrictEqual } from 'node:util'
import type { ResourceLabels } from '../../lib/event-record.ts'
import { parseJson, rawJson, writeJson } from '../../lib/json.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import type { Micros } from '../../lib/time.ts'
import { toBoolean } from '../../storage/tables.ts'
import type { Deployment, DeploymentRow } from './store.ts'

type DeploymentEventKind = 'created' | 'updated' | 'deleted' | 'ready' | 'not-ready'

/** `payload` is JSON text; only updates have one. */
export function deploymentEvent(what: DeploymentEventKind, row: Deployment, id: string, now: Micros, payload = '{}'): ServerEvent {
  return {
    id,
    occurred: now,
    event: `prefect.deployment.${what}`,
    resource: { 'prefect.resource.id': `prefect.deployment.${row.id}`, 'prefect.resource.name': row.name },
    related: relatedOf(row),
    payload,
    follows: null,
  }
}

function relatedOf(row: Deployment): ResourceLabels[] {
  const pool =
    row.pool_id === null
      ? []
      : related('work-pool', row.pool_id, 'work-pool', {
          'prefect.resource.name': row.pool_name as string,
          'prefect.work-pool.type': row.pool_type as string,
        })
  return [
    ...related('flow', row.flow_id, 'flow', { 'prefect.resource.name': row.flow_name }),
    ...(row.queue_name === null ? [] : related('work-queue', row.work_queue_id, 'work-queue', { 'prefect.resource.name': row.queue_name })),
    ...pool,
    ...related('block-document', row.storage_document_id, 'storage'),
    ...related('block-document', row.infrastructure_document_id, 'infrastructure'),
    ...related('concurrency-limit', row.concurrency_limit_id, 'concurrency-limit'),
  ]
}

function related(kind: string, id: string | null, role: string, more: ResourceLabels = {}): ResourceLabels[] {
  return id === null ? [] : [{ 'prefect.resource.id': `prefect.${kind}.${id}`, ...more, 'prefect.resource.role': role }]
}

/** Fields that the updated event reports, by their names in the event. */
const trackedFields: Readonly<Record<string, (row: DeploymentRow) => string>> = {
  description: plain('description'),
  tags: json('tags'),
  parameters: json('parameters'),
  parameter_openapi_schema: json('parameter_openapi_schema'),
  enforce_parameter_schema: flag('enforce_parameter_schema'),
  entrypoint: plain('entrypoint'),
  path: plain('path'),
  pull_steps: json('pull_steps'),
  work_queue_id: plain('work_queue_id'),
  infra_overrides: json('job_variables'),
  paused: flag('paused'),
  labels: json('labels'),
  version: plain('version'),
  concurrency_limit_id: plain('concurrency_limit_id'),
  concurrency_options: json('concurrency_options'),
}

function plain(column: 'description' | 'entrypoint' | 'path' | 'work_queue_id' | 'version' | 'concurrency_limit_id') {
  return (row: DeploymentRow) => JSON.stringify(row[column])
}

function json(column: 'tags' | 'parameters' | 'parameter_openapi_schema' | 'pull_steps' | 'job_variables' | 'labels' | 'concurrency_options') {
  return (row: DeploymentRow) => row[column] ?? 'null'
}

function flag(column: 'enforce_parameter_schema' | 'paused') {
  return (row: DeploymentRow) => JSON.stringify(toBoolean(row[column]))
}

/** The payload of an updated event; undefined if no reported field changed. */
export function changePayload(before: DeploymentRow, after: DeploymentRow): string | undefined {
  const updates: Record<string, { from: unknown; to: unknown }> = {}
  for (const [field, read] of Object.entries(trackedFields)) {
    const [from, to] = [read(before), read(after)]
    if (from === to || isDeepStrictEqual(parseJson(from), parseJson(to))) continue
    updates[field] = { from: rawJson(from), to: rawJson(to) }
  }
  const fields = Object.keys(updates)
  return fields.length === 0 ? undefined : writeJson({ updated_fields: fields, updates })
}

import type { DeploymentCreate, DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import { jsonText, nullableJsonText } from '../../lib/json.ts'
import type { DeploymentRow } from './store.ts'

type Sent = Omit<DeploymentCreate, 'name' | 'flow_id' | 'schedules' | 'labels'> | Omit<DeploymentUpdate, 'schedules'>

/** What stands in place of a schema that says nothing. */
const anyParameters = '{"type":"object","properties":{}}'

/** The columns that a request sets: those it names. Null where null cannot be is as good as not named. */
export function sentColumns(body: Sent): Partial<DeploymentRow> {
  return {
    ...given('description', body.description),
    ...given('version', body.version),
    ...given('path', body.path),
    ...given('entrypoint', body.entrypoint),
    ...given('work_queue_name', body.work_queue_name),
    ...given('storage_document_id', body.storage_document_id),
    ...given('infrastructure_document_id', body.infrastructure_document_id),
    ...given('paused', body.paused),
    ...given('enforce_parameter_schema', body.enforce_parameter_schema ?? undefined),
    ...given('concurrency_options', text(body.concurrency_options)),
    ...given('pull_steps', text(body.pull_steps)),
    ...given('version_info', text(body.version_info)),
    ...given('parameter_openapi_schema', schemaText(body.parameter_openapi_schema)),
    ...given('parameters', text(body.parameters) ?? undefined),
    ...given('tags', text(body.tags) ?? undefined),
    ...given('job_variables', text(body.job_variables) ?? undefined),
  }
}

const given = <K extends keyof DeploymentRow>(column: K, value: DeploymentRow[K] | undefined): Partial<DeploymentRow> =>
  value === undefined ? {} : ({ [column]: value } as Partial<DeploymentRow>)

const text = (value: unknown): string | null | undefined => (value === undefined ? undefined : nullableJsonText(value))

function schemaText(schema: Record<string, unknown> | null | undefined): string | null | undefined {
  if (schema === undefined || schema === null) return schema
  return Object.keys(schema).length === 0 ? anyParameters : jsonText(schema)
}

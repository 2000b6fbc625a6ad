import type { DeploymentCreate, DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import { jsonText, nullableJsonText } from '../../lib/json.ts'
import type { DeploymentRow } from './store.ts'

type SentDeployment = Omit<DeploymentCreate, 'name' | 'flow_id' | 'schedules' | 'labels'> | Omit<DeploymentUpdate, 'schedules'>

/** Replaces an empty schema. */
const emptyObjectSchema = '{"type":"object","properties":{}}'

/** The columns that a request sets. Null in a non-nullable field counts as omitted. */
export function toColumns(body: SentDeployment): Partial<DeploymentRow> {
  return {
    ...columnIfSet('description', body.description),
    ...columnIfSet('version', body.version),
    ...columnIfSet('path', body.path),
    ...columnIfSet('entrypoint', body.entrypoint),
    ...columnIfSet('work_queue_name', body.work_queue_name),
    ...columnIfSet('storage_document_id', body.storage_document_id),
    ...columnIfSet('infrastructure_document_id', body.infrastructure_document_id),
    ...columnIfSet('paused', body.paused),
    ...columnIfSet('enforce_parameter_schema', body.enforce_parameter_schema ?? undefined),
    ...columnIfSet('concurrency_options', textIfSet(body.concurrency_options)),
    ...columnIfSet('pull_steps', textIfSet(body.pull_steps)),
    ...columnIfSet('version_info', textIfSet(body.version_info)),
    ...columnIfSet('parameter_openapi_schema', schemaText(body.parameter_openapi_schema)),
    ...columnIfSet('parameters', textIfSet(body.parameters) ?? undefined),
    ...columnIfSet('tags', textIfSet(body.tags) ?? undefined),
    ...columnIfSet('job_variables', textIfSet(body.job_variables) ?? undefined),
  }
}

const columnIfSet = <K extends keyof DeploymentRow>(column: K, value: DeploymentRow[K] | undefined): Partial<DeploymentRow> =>
  value === undefined ? {} : ({ [column]: value } as Partial<DeploymentRow>)

const textIfSet = (value: unknown): string | null | undefined => (value === undefined ? undefined : nullableJsonText(value))

function schemaText(schema: Record<string, unknown> | null | undefined): string | null | undefined {
  if (schema === undefined || schema === null) return schema
  return Object.keys(schema).length === 0 ? emptyObjectSchema : jsonText(schema)
}

import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { defaultValues, resolveSchema } from '../schema-form/resolve-schema.ts'

/** A run as the form for it has it. */
export interface CustomRun {
  readonly parameters: unknown
  /** Empty for a name that the server makes up. */
  readonly name: string
  /** Beside the deployment's own, which every run has. */
  readonly tags: readonly string[]
  /** With its distance from UTC; none for now. */
  readonly at: string | undefined
  /** Empty for the deployment's own. */
  readonly queue: string
  readonly jobVariables: unknown
  readonly message: string
}

/** What the flow would take without a word, the deployment's own values over it. */
export function initialCustomRun({ parameters, parameter_openapi_schema }: DeploymentResponse): CustomRun {
  const schema = parameter_openapi_schema as Schema | null
  const defaults = schema ? defaultValues(resolveSchema(schema, schema), schema) : {}
  return { parameters: { ...defaults, ...parameters }, name: '', tags: [], at: undefined, queue: '', jobVariables: {}, message: '' }
}

export function toRunBody({ parameters, name, tags, at, queue, jobVariables, message }: CustomRun): DeploymentFlowRunCreate {
  return {
    parameters: parameters as Record<string, unknown>,
    tags: [...tags],
    ...(name.trim() && { name: name.trim() }),
    ...(queue && { work_queue_name: queue }),
    ...(Object.keys(jobVariables as object).length > 0 && { job_variables: jobVariables as Record<string, unknown> }),
    ...((at || message.trim()) && {
      state: {
        type: 'SCHEDULED' as const,
        ...(message.trim() && { message: message.trim() }),
        ...(at && { state_details: { scheduled_time: at } }),
      },
    }),
  }
}

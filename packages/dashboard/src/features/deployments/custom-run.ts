import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentFlowRunCreate } from '@millrace/contracts/flow-run.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { defaultValues, resolveSchema } from '../schema-form/resolve-schema.ts'

/** Form values of a custom run. */
export interface CustomRun {
  readonly parameters: unknown
  /** Empty for a generated name. */
  readonly name: string
  /** Added to the tags of the deployment. */
  readonly tags: readonly string[]
  /** With UTC offset. Undefined to start now. */
  readonly at: string | undefined
  /** Empty for the queue of the deployment. */
  readonly queue: string
  readonly jobVariables: unknown
  readonly message: string
}

/** Defaults of the flow, overridden by the deployment's parameters. */
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

import { type ApiError, CheckLimitExceeded, conflict, type Fault, InvalidRequest, invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import { refusalSentence } from '../../schemas/refusal.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaValidator } from '../schema-validator.ts'

/** Checks parameters against a deployment's schema. */
export async function checkParameters(
  context: ServerContext,
  schema: string | null,
  parameters: string,
  options: { readonly partial: boolean },
): Promise<ApiError | undefined> {
  if (schema === null) return conflict('Cannot check parameters: the deployment has no parameter schema.')
  if (acceptsAnything(schema)) return undefined
  const refusal = await schemaValidator(context).validate(schema, parameters, { acceptsPydantic1: true, ignoreRequired: options.partial })
  if (!refusal) return undefined
  if (refusal.kind === 'limit') return new CheckLimitExceeded(['body', 'parameters'], refusal.reason)
  return refusal.kind === 'circular' ? invalid(['body', 'parameters'], refusal.reason) : conflict(refusalSentence(refusal, 'parameter'))
}

export const acceptsAnything = (schema: string): boolean => schema === '{}'

/** The raw request body, not yet validated. */
interface SentParameters {
  readonly parameters?: unknown
  readonly parameter_openapi_schema?: unknown
  readonly enforce_parameter_schema?: unknown
}

/** Checks a new deployment's parameters only if the request enforces the schema explicitly. Each run may add required parameters. */
export function findParameterError(
  context: ServerContext,
  { parameters, parameter_openapi_schema: schema, enforce_parameter_schema: enforced }: SentParameters,
): string | undefined | Promise<string | undefined> {
  if (!enforced || schema == null || typeof schema === 'boolean') return undefined
  if (!isJsonObject(schema)) return 'The parameter schema is not a valid JSON schema: it is not an object'
  return findSchemaError(context, jsonText(schema), jsonText(parameters ?? {}))
}

async function findSchemaError(context: ServerContext, schema: string, parameters: string): Promise<string | undefined> {
  if (acceptsAnything(schema)) return undefined
  const schemaError = await schemaValidator(context).checkSchema(schema)
  if (schemaError)
    return schemaError.kind === 'limit'
      ? schemaError.reason
      : `The parameter schema is not a valid JSON schema: ${schemaError.path} ${schemaError.reason}`
  const refusal = await schemaValidator(context).validate(schema, parameters, { ignoreRequired: true })
  return refusal && refusalSentence(refusal, 'parameter')
}

/** Every run stores its parameters, so their size is limited. */
export function assertParameterSize({ config }: ServerContext, parameters: unknown, loc: Fault['loc']): void {
  const bytesMax = config.server.api.maximum_parameter_bytes
  if (bytesMax === 0 || !parameters) return
  const bytes = Buffer.byteLength(JSON.stringify(parameters))
  if (bytes <= bytesMax) return
  const msg = `Parameters are too large: ${bytes} bytes as JSON, the maximum is ${bytesMax}.`
  throw new InvalidRequest([{ loc, type: 'value_error', msg, ctx: { error: msg } }])
}

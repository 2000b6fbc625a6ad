import { type ApiError, CheckLimitExceeded, conflict, type Fault, InvalidRequest, invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import { refusalSentence } from '../../schemas/refusal.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaValidator } from '../schema-validator.ts'

/** Why parameters are not those that a deployment's schema asks for. */
export async function checkParameters(
  context: ServerContext,
  schema: string | null,
  parameters: string,
  options: { readonly partial: boolean },
): Promise<ApiError | undefined> {
  if (schema === null) return conflict('Parameters are to be checked, but the deployment has no schema for them')
  if (acceptsAnything(schema)) return undefined
  const refusal = await schemaValidator(context).validate(schema, parameters, { acceptsPydantic1: true, ignoreRequired: options.partial })
  if (!refusal) return undefined
  if (refusal.kind === 'limit') return new CheckLimitExceeded(['body', 'parameters'], refusal.reason)
  return refusal.kind === 'circular' ? invalid(['body', 'parameters'], refusal.reason) : conflict(refusalSentence(refusal, 'parameter'))
}

/** Whether there is nothing to check. */
export const acceptsAnything = (schema: string): boolean => schema === '{}'

/** As it was sent, so that these may be anything. */
interface SentParameters {
  readonly parameters?: unknown
  readonly parameter_openapi_schema?: unknown
  readonly enforce_parameter_schema?: unknown
}

/** A new deployment's parameters are checked only when it was asked for in so many words; required ones may come with each run. */
export function findParameterError(
  context: ServerContext,
  { parameters, parameter_openapi_schema: schema, enforce_parameter_schema: enforced }: SentParameters,
): string | undefined | Promise<string | undefined> {
  if (!enforced || schema == null || typeof schema === 'boolean') return undefined
  if (!isJsonObject(schema)) return 'The parameter schema is not a valid JSON schema: it is no object'
  return findSchemaError(context, jsonText(schema), jsonText(parameters ?? {}))
}

async function findSchemaError(context: ServerContext, schema: string, parameters: string): Promise<string | undefined> {
  if (acceptsAnything(schema)) return undefined
  const bad = await schemaValidator(context).checkSchema(schema)
  if (bad) return bad.kind === 'limit' ? bad.reason : `The parameter schema is not a valid JSON schema: ${bad.path} ${bad.reason}`
  const refusal = await schemaValidator(context).validate(schema, parameters, { ignoreRequired: true })
  return refusal && refusalSentence(refusal, 'parameter')
}

/** Parameters are kept with every run: large data belongs elsewhere. */
export function assertParameterSize({ config }: ServerContext, parameters: unknown, loc: Fault['loc']): void {
  const bytesMax = config.server.api.maximum_parameter_bytes
  if (bytesMax === 0 || !parameters) return
  const bytes = Buffer.byteLength(JSON.stringify(parameters))
  if (bytes <= bytesMax) return
  const msg = `Parameters may have at most ${bytesMax} bytes as JSON; these have ${bytes}`
  throw new InvalidRequest([{ loc, type: 'value_error', msg, ctx: { error: msg } }])
}

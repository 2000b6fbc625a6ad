import { type ApiError, CheckLimit, conflict, type Fault, InvalidRequest, invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isObject } from '../../lib/json-exact.ts'
import { refusalSentence } from '../../schemas/refusal.ts'
import type { Parts } from '../../storage/parts.ts'
import { schemaValidator } from '../schema-validator.ts'

/** Why parameters are not those that a deployment's schema asks for. */
export async function parameterRefusal(
  parts: Parts,
  schema: string | null,
  parameters: string,
  options: { readonly partial: boolean },
): Promise<ApiError | undefined> {
  if (schema === null) return conflict('Parameters are to be checked, but the deployment has no schema for them')
  if (acceptsAnything(schema)) return undefined
  const refusal = await schemaValidator(parts).validate(schema, parameters, { mend: true, ignoreRequired: options.partial })
  if (!refusal) return undefined
  if (refusal.kind === 'limit') return new CheckLimit(['body', 'parameters'], refusal.reason)
  return refusal.kind === 'circular' ? invalid(['body', 'parameters'], refusal.reason) : conflict(refusalSentence(refusal, 'parameter'))
}

/** Whether there is nothing to check. */
export const acceptsAnything = (schema: string): boolean => schema === '{}'

/** As it was sent, so that these may be anything. */
interface Sent {
  readonly parameters?: unknown
  readonly parameter_openapi_schema?: unknown
  readonly enforce_parameter_schema?: unknown
}

/** A new deployment's parameters are checked only when it was asked for in so many words; required ones may come with each run. */
export function badParameters(
  parts: Parts,
  { parameters, parameter_openapi_schema: schema, enforce_parameter_schema: enforced }: Sent,
): string | undefined | Promise<string | undefined> {
  if (!enforced || schema == null || typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return 'The parameter schema is not a valid JSON schema: it is no object'
  return badByParameterSchema(parts, jsonText(schema), jsonText(parameters ?? {}))
}

async function badByParameterSchema(parts: Parts, schema: string, parameters: string): Promise<string | undefined> {
  if (acceptsAnything(schema)) return undefined
  const bad = await schemaValidator(parts).checkSchema(schema)
  if (bad) return bad.kind === 'limit' ? bad.reason : `The parameter schema is not a valid JSON schema: ${bad.place} ${bad.reason}`
  const refusal = await schemaValidator(parts).validate(schema, parameters, { ignoreRequired: true })
  return refusal && refusalSentence(refusal, 'parameter')
}

/** Parameters are kept with every run: large data belongs elsewhere. */
export function refuseLargeParameters({ config }: Parts, parameters: unknown, loc: Fault['loc']): void {
  const bytesMax = config.server.api.maximum_parameter_bytes
  if (bytesMax === 0 || !parameters) return
  const bytes = Buffer.byteLength(JSON.stringify(parameters))
  if (bytes <= bytesMax) return
  const msg = `Parameters may have at most ${bytesMax} bytes as JSON; these have ${bytes}`
  throw new InvalidRequest([{ loc, type: 'value_error', msg, ctx: { error: msg } }])
}

import { type ApiError, conflict, type Fault, InvalidRequest, invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isObject } from '../../lib/json-exact.ts'
import { refusalOf, type SchemaRefusal, schemaRefusal } from '../../lib/json-schema.ts'
import type { Parts } from '../../storage/parts.ts'

/** A sentence that says which parameter is wrong and how. */
const sentence = ({ place, reason }: SchemaRefusal): string => `${place ? `The parameter "${place}"` : 'The parameters'} ${reason}`

/** Why parameters are not those that a deployment's schema asks for. */
export function parameterRefusal(schema: string | null, parameters: string, options: { partial: boolean }): ApiError | undefined {
  if (schema === null) return conflict('Parameters are to be checked, but the deployment has no schema for them')
  const refusal = refusalOf(schema, JSON.parse(parameters), { mend: true, ignoreRequired: options.partial })
  if (!refusal) return undefined
  return refusal.kind === 'circular' ? invalid(['body', 'parameters'], refusal.reason) : conflict(sentence(refusal))
}

/** As it was sent, so that these may be anything. */
interface Sent {
  readonly parameters?: unknown
  readonly parameter_openapi_schema?: unknown
  readonly enforce_parameter_schema?: unknown
}

/** A new deployment's parameters are checked only when it was asked for in so many words; required ones may come with each run. */
export function badParameters({ parameters, parameter_openapi_schema: schema, enforce_parameter_schema: enforced }: Sent): string | undefined {
  if (!enforced || schema == null || typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return 'The parameter schema is not a valid JSON schema: it is no object'
  const text = jsonText(schema)
  const bad = schemaRefusal(text)
  if (bad) return `The parameter schema is not a valid JSON schema: ${bad.place} ${bad.reason}`
  const refusal = refusalOf(text, JSON.parse(jsonText(parameters ?? {})), { ignoreRequired: true })
  return refusal && sentence(refusal)
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

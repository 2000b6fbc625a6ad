import { createHash } from 'node:crypto'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'
import { pythonJson } from './python-json.ts'
import { usedDefinitions } from './schema-definitions.ts'

/**
 * The checksum of a schema's fields. Clients use it to find their schema on the server, so it must equal the client's checksum. It omits
 * secret fields and the definitions of nested blocks, whose checksums are in the references.
 */
export function schemaChecksum(fields: JsonObject): string {
  const counted = { ...(withoutSecretFields(fields) as JsonObject) }
  if (isJsonObject(counted.definitions) && Object.keys(counted.definitions).length > 0) {
    const plain = usedDefinitions(counted, counted.definitions)
    if (Object.keys(plain).length > 0) counted.definitions = plain
    else delete counted.definitions
  }
  // The client hashes the arguments of a Python call: one positional, no named ones.
  return `sha256:${createHash('sha256')
    .update(`[[${pythonJson(counted)}], {}]`)
    .digest('hex')}`
}

function withoutSecretFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'secret_fields')
      .map(([key, inner]) => [key, withoutSecretFields(inner)]),
  )
}

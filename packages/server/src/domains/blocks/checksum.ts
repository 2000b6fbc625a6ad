import { createHash } from 'node:crypto'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'
import { pythonJson } from './python-json.ts'
import { usedDefinitions } from './schema-definitions.ts'

/**
 * The checksum of a schema's fields, by which clients find out whether the server knows their schema: it has to come out as theirs does.
 * Which fields are secret does not count, nor do the definitions of nested blocks, whose checksums stand in the references.
 */
export function schemaChecksum(fields: JsonObject): string {
  const counted = { ...(withoutSecretFields(fields) as JsonObject) }
  if (isJsonObject(counted.definitions) && Object.keys(counted.definitions).length > 0) {
    const plain = usedDefinitions(counted, counted.definitions)
    if (Object.keys(plain).length > 0) counted.definitions = plain
    else delete counted.definitions
  }
  // Python hashes the positional and the named arguments of a call, of which there is one and none.
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

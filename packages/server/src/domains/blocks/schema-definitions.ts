import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'

const prefix = '#/definitions/'

/** Every `$ref` in a schema, at any depth. */
export function collectReferences(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectReferences)
  if (!isJsonObject(value)) return []
  const direct = typeof value.$ref === 'string' && value.$ref !== '' ? [value.$ref] : []
  return [...direct, ...Object.values(value).flatMap(collectReferences)]
}

export const definitionKey = (reference: string): string => reference.replaceAll(prefix, '')

/**
 * The definitions that the fields reference, directly or indirectly, except blocks, which have their own schemas. References from unused
 * definitions count too, as in existing clients.
 */
export function usedDefinitions(fields: JsonObject, definitions: JsonObject): JsonObject {
  const found: Record<string, unknown> = {}
  const visit = (value: unknown): void => {
    for (const key of collectReferences(value).map(definitionKey)) {
      const definition = definitions[key]
      if (key in found || !isJsonObject(definition) || Object.keys(definition).length === 0 || definition.block_type_slug != null) continue
      found[key] = definition
      visit(definition)
    }
  }
  visit(fields)
  return found
}

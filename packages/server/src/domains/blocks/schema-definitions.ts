import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'

const prefix = '#/definitions/'

/** Every `$ref` in a schema, at any depth. */
export function collectReferences(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectReferences)
  if (!isJsonObject(value)) return []
  const own = typeof value.$ref === 'string' && value.$ref !== '' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(collectReferences)]
}

export const definitionKey = (reference: string): string => reference.replaceAll(prefix, '')

/**
 * Of the definitions, those that the fields refer to, directly or through others, and that are no blocks: blocks have schemas of their
 * own. What definitions refer to counts even where nothing refers to them, since existing clients count it.
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

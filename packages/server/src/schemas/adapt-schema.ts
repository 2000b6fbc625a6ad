import { isJsonObject } from '../lib/json-exact.ts'
import type { SchemaOptions } from './refusal.ts'

export type Schema = Record<string, unknown>

/** Keywords that contain schemas by name. Their keys are names, not keywords. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that contain values, even if a value looks like a schema. */
const values = new Set(['enum', 'const', 'default', 'examples', 'example'])
/** Keywords of Ajv or of older drafts that draft 2020-12 does not have. Ajv rejects a schema with `id`. */
const foreignKeywords = new Set(['$schema', '$async', 'nullable', 'dependencies', 'id'])

/** Returns a copy that Ajv reads as any validator of draft 2020-12 would. */
export function adaptSchema(schema: unknown, options: SchemaOptions): unknown {
  const copy = rewriteSchemas(schema, (part) => without(part, foreignKeywords))
  if (!isJsonObject(copy)) return copy
  // Ajv needs a base URI to resolve `#`.
  copy.$id ??= 'urn:millrace:schema'
  if (options.acceptsPydantic1) adaptPydantic1(copy, options)
  // As in the v3 API, schemas in lists such as `oneOf` keep their required fields.
  return options.ignoreRequired
    ? rewriteSchemas(copy, (part) => (Array.isArray(part.required) ? without(part, required) : part), { lists: false })
    : copy
}

const required = new Set(['required'])

const without = (part: Schema, keywords: ReadonlySet<string>): Schema =>
  Object.fromEntries(Object.entries(part).filter(([keyword]) => !keywords.has(keyword)))

/** Copies a schema and applies `change` to every nested schema, innermost first. With `lists: false`, schemas in lists stay unchanged. */
export function rewriteSchemas(schema: unknown, change: (part: Schema) => Schema, { lists = true } = {}): unknown {
  const rewrite = (part: unknown): unknown => {
    if (Array.isArray(part)) return lists ? part.map(rewrite) : part
    if (!isJsonObject(part)) return part
    return change(Object.fromEntries(Object.entries(part).map(([keyword, content]) => [keyword, rewriteKeyword(keyword, content)])))
  }
  const rewriteKeyword = (keyword: string, content: unknown): unknown => {
    if (values.has(keyword)) return content
    if (!namedSchemas.has(keyword) || !isJsonObject(content)) return rewrite(content)
    return Object.fromEntries(Object.entries(content).map(([name, schema]) => [name, rewrite(schema)]))
  }
  return rewrite(schema)
}

function adaptPydantic1(schema: Schema, options: SchemaOptions): void {
  adaptPydantic1Properties(schema, options)
  const { definitions } = schema
  if (!isJsonObject(definitions)) return
  for (const [name, definition] of Object.entries(definitions)) {
    if (!isJsonObject(definition)) continue
    adaptPydantic1Properties(definition, options)
    if ('block_type_slug' in definition) definitions[String(definition.title ?? name)] = { anyOf: [{ ...definition }, blockReference] }
  }
}

function adaptPydantic1Properties(schema: Schema, options: SchemaOptions): void {
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  for (const [name, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    if (!isJsonObject(property)) continue
    const mayBeNull = !required.has(name) && (options.allowsNullForDefaults || !('default' in property))
    if (mayBeNull && property.type !== undefined && property.type !== 'null') {
      property.anyOf = [{ type: property.type }, { type: 'null' }]
      delete property.type
    }
    if (Array.isArray(property.items) && property.items.length > 0 && !property.prefixItems) {
      property.prefixItems = property.items
      delete property.items
    }
    if (property.properties) adaptPydantic1Properties(property, options)
  }
}

/** A block given by its id instead of its fields. A value that matches both forms is accepted here and rejected by the v3 API (`oneOf`). */
const blockReference: Schema = {
  type: 'object',
  properties: {
    $ref: {
      oneOf: [
        { type: 'string', format: 'uuid' },
        { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
      ],
    },
  },
  required: ['$ref'],
}

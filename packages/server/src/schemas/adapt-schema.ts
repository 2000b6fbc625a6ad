import { isJsonObject } from '../lib/json-exact.ts'
import type { SchemaOptions } from './refusal.ts'

export type Schema = Record<string, unknown>

/** Keywords that hold schemas by name: below them, words are names and not keywords. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that hold values, whatever these look like. */
const values = new Set(['enum', 'const', 'default', 'examples', 'example'])
/** Keywords of Ajv, or of older drafts, that no validator of draft 2020-12 knows. Ajv refuses a schema with `id`. */
const foreignKeywords = new Set(['$schema', '$async', 'nullable', 'dependencies', 'id'])

/** A copy that Ajv reads as any validator of draft 2020-12 would. */
export function adaptSchema(schema: unknown, options: SchemaOptions): unknown {
  const copy = rewriteSchemas(schema, (part) => without(part, foreignKeywords))
  if (!isJsonObject(copy)) return copy
  // Ajv needs a base for `#`.
  copy.$id ??= 'urn:millrace:schema'
  if (options.acceptsPydantic1) adaptPydantic1(copy, options)
  // As in the v3 API, the schemas in lists (`oneOf` and the like) keep what they require.
  return options.ignoreRequired
    ? rewriteSchemas(copy, (part) => (Array.isArray(part.required) ? without(part, required) : part), { lists: false })
    : copy
}

const required = new Set(['required'])

const without = (part: Schema, words: ReadonlySet<string>): Schema => Object.fromEntries(Object.entries(part).filter(([word]) => !words.has(word)))

/** Copies a schema with `change` applied to every schema within it, innermost first. With `lists: false` the schemas in lists stay as they are. */
export function rewriteSchemas(schema: unknown, change: (part: Schema) => Schema, { lists = true } = {}): unknown {
  const rewrite = (part: unknown): unknown => {
    if (Array.isArray(part)) return lists ? part.map(rewrite) : part
    if (!isJsonObject(part)) return part
    return change(Object.fromEntries(Object.entries(part).map(([word, held]) => [word, rewriteHeld(word, held)])))
  }
  const rewriteHeld = (word: string, held: unknown): unknown => {
    if (values.has(word)) return held
    if (!namedSchemas.has(word) || !isJsonObject(held)) return rewrite(held)
    return Object.fromEntries(Object.entries(held).map(([name, named]) => [name, rewrite(named)]))
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

/** How a block is given by its id instead of by its fields. A value that fits both forms is accepted, where the v3 API refuses it (`oneOf`). */
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

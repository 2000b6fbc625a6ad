import { parseJson } from '@millrace/client/json.ts'
import { UsageError } from '../errors.ts'
import { isObject } from '../read-input.ts'

/** A field of a block type, from its JSON schema. */
export interface BlockField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  readonly description: string
  /** Slugs of the block types that the field can reference. Empty if it is no reference. */
  readonly references: readonly string[]
  /** Whether a text is a possible value. */
  readonly allowsText: boolean
  readonly allowsOnlyText: boolean
}

type Schema = Readonly<Record<string, unknown>>

/** Lists the fields of a schema in the order of the schema. */
export function listFields(schema: Schema): BlockField[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const secrets = Array.isArray(schema.secret_fields) ? schema.secret_fields.map(String) : []
  const references = isObject(schema.block_schema_references) ? schema.block_schema_references : {}
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, property]) => {
    const slugs = referencedSlugs(references[name])
    const schemas = alternatives(isObject(property) ? property : {})
    return {
      name,
      type: slugs.length > 0 ? slugs.map((slug) => `block ${slug}`).join(' or ') : [...new Set(schemas.map(typeText))].join(' or '),
      isRequired: required.has(name),
      isSecret: secrets.some((secret) => secret === name || secret.startsWith(`${name}.`)),
      description: isObject(property) && typeof property.description === 'string' ? property.description : '',
      references: slugs,
      allowsText: schemas.some((each) => isText(each) || isOpen(each)),
      allowsOnlyText: schemas.every((each) => isText(each) || each.type === 'null'),
    }
  })
}

function referencedSlugs(reference: unknown): string[] {
  const list = Array.isArray(reference) ? reference : [reference]
  return list.flatMap((each) => (isObject(each) && typeof each.block_type_slug === 'string' ? [each.block_type_slug] : []))
}

/** The schemas of which a value must match one. */
function alternatives(property: Schema): Schema[] {
  const inner = property.anyOf ?? property.oneOf ?? property.allOf
  return Array.isArray(inner) && inner.length > 0 ? inner.filter(isObject).flatMap(alternatives) : [property]
}

function typeText(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join('|')
  if (typeof schema.type === 'string') return schema.type
  return typeof schema.$ref === 'string' ? (schema.$ref.split('/').at(-1) as string) : 'any'
}

const isText = (schema: Schema): boolean =>
  schema.type === 'string' || (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string'))

/** A value of any type, or of a definition. */
const isOpen = (schema: Schema): boolean => schema.type === undefined && schema.enum === undefined

/** Reads the value of `--field`. A field for text keeps `123` as text; any other one takes JSON. */
export function parseFieldValue(field: BlockField, text: string): unknown {
  if (field.allowsOnlyText) return text
  try {
    // Text that looks like a number or a word of JSON is more often meant as text.
    return field.allowsText && !/^\s*[[{]/.test(text) ? text : parseJson(text, true)
  } catch {
    if (field.allowsText) return text
    const shown = field.isSecret ? 'the value' : `"${text}"`
    throw new UsageError(`Field "${field.name}": ${shown} is not a value of type ${field.type}. Lists and objects are written as JSON.`)
  }
}

/** Rejects fields that the block type does not have, and a new block without those that it needs. The server checks neither. */
export function checkFields(slug: string, fields: readonly BlockField[], data: Readonly<Record<string, unknown>>, isNew: boolean): void {
  const known = new Set(fields.map(({ name }) => name))
  const unknown = Object.keys(data).find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new UsageError(`Block type "${slug}" has no field "${unknown}". Fields: ${[...known].join(', ') || 'none'}.`)
  }
  const missing = isNew ? fields.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(data, name)) : []
  if (missing.length > 0) {
    throw new UsageError(`Missing field of block type "${slug}": ${missing.map(({ name }) => name).join(', ')}. Give --field NAME=VALUE.`)
  }
}

import type { Schema } from './openapi-types.ts'

/** The page of a named schema: filters and sort orders are half of all. */
export const pageOfSchema = (name: string): string => (/Filter|Sort$/.test(name) ? 'filters.md' : 'models.md')

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const formats: Readonly<Record<string, string>> = { uuid: 'id', 'date-time': 'time', 'json-string': 'JSON text' }

/** Describes a type in a table cell, with links to named schemas. */
export function describeType(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `[${name}](${pageOfSchema(name)}#${name.toLowerCase()})`
  }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(describeType))].join(' or ')
  if (schema.allOf) return schema.allOf.map(describeType).join(' and ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map((value) => code(value)).join(', ')
  switch (schema.type) {
    case 'array':
      return describeArray(schema)
    case 'object':
      return describeObject(schema)
    case 'string':
      return `${formats[schema.format ?? ''] ?? schema.format ?? 'string'}${describeLength(schema)}`
    case undefined:
      return 'any JSON'
    default:
      return `${schema.type}${describeRange(schema)}`
  }
}

function describeArray({ items, prefixItems, minItems, maxItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(describeType).join(', ')}]`
  const bounds = [...(minItems ? [`at least ${minItems}`] : []), ...(maxItems === undefined ? [] : [`at most ${maxItems}`])]
  const inner = items ? describeType(items) : 'any JSON'
  return `list of ${/ or |, /.test(inner) ? `(${inner})` : inner}${bounds.length > 0 ? ` (${bounds.join(', ')})` : ''}`
}

function describeObject({ properties, patternProperties, additionalProperties }: Schema): string {
  if (properties)
    return `object with ${Object.entries(properties)
      .map(([name, schema]) => `\`${name}\`: ${describeType(schema)}`)
      .join(', ')}`
  const value = Object.values(patternProperties ?? {})[0] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  return value && Object.keys(value).length > 0 ? `map of ${describeType(value)}` : 'object'
}

function describeRange({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const low = minimum ?? exclusiveMinimum
  if (low !== undefined && maximum !== undefined) return ` from ${low} to ${maximum}`
  if (minimum !== undefined) return ` ≥ ${minimum}`
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`
  return maximum === undefined ? '' : ` ≤ ${maximum}`
}

function describeLength({ minLength, maxLength, pattern }: Schema): string {
  const parts = [
    ...(minLength && maxLength ? [`${minLength} to ${maxLength} characters`] : []),
    ...(minLength && !maxLength && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(minLength === 1 && !maxLength ? ['not empty'] : []),
    ...(maxLength && !minLength ? [`at most ${maxLength} characters`] : []),
    ...(pattern === undefined ? [] : [`matches ${code(pattern, String)}`]),
  ]
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

/** A value in a table cell. */
const code = (value: unknown, write: (value: unknown) => string = JSON.stringify): string => `\`${write(value).replaceAll('|', '\\|')}\``

/** The fields of an object as a table. Objects of responses have all of their fields, and the column of defaults is left out. */
export function fieldTable({ properties = {}, required = [] }: Schema): string[] {
  const names = Object.keys(properties)
  if (names.length === 0) return []
  const isComplete = names.every((name) => required.includes(name))
  return [
    isComplete ? '| field | type |' : '| field | type | default |',
    isComplete ? '|---|---|' : '|---|---|---|',
    ...names.map((name) => {
      const field = properties[name] as Schema
      const start = `| \`${name}\`${field.deprecated ? ' (deprecated)' : ''} | ${describeType(field)} |`
      return isComplete ? start : `${start} ${describeDefault(field, required.includes(name))} |`
    }),
  ]
}

/** The default of an object repeats the defaults of its fields. */
export function describeDefault(schema: Schema, isRequired: boolean): string {
  if (isRequired) return '**required**'
  if (!('default' in schema)) return ''
  const text = code(schema.default)
  return text.length > 60 ? '' : text
}

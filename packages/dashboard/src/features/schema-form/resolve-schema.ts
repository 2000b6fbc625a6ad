import { fieldKind, isUnparsedInput } from './field-kind.ts'
import type { Schema } from './json-schema.ts'

const referencesMax = 10

/** Resolves references within the schema, a union with null, and `allOf`. */
export function resolveSchema(schema: Schema, root: Schema, depth = 0): Schema {
  let found = extractNullable(schema)
  if (depth > referencesMax) return {}
  for (let hop = 0; hop < referencesMax; hop++) {
    const { $ref, anyOf, oneOf, allOf, ...others } = found
    const choices = (anyOf ?? oneOf)?.filter((each) => !isNull(each))
    const nullable = (anyOf ?? oneOf)?.some(isNull) ? ({ nullable: true } as const) : {}
    if ($ref) {
      const target = resolveReference($ref, root)
      if (!target) return found
      found = extractNullable({ ...target, ...others })
    } else if (choices?.length === 1) found = extractNullable({ ...choices[0], ...others, ...nullable })
    else if (allOf?.length)
      found = extractNullable({ ...mergeAllOf(allOf, root, depth), ...(anyOf && { anyOf }), ...(oneOf && { oneOf }), ...others })
    else return choices ? { ...found, ...nullable } : found
  }
  return found
}

const isNull = ({ type, const: only }: Schema): boolean => type === 'null' || only === null

/** Turns `type: ["string", "null"]` into a nullable string. */
function extractNullable(schema: Schema): Schema {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (types && types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null')
    return { ...schema, type: rest.length === 1 ? (rest[0] as string) : rest, nullable: true }
  }
  return schema
}

/** Merges the requirements of several schemas. */
function mergeAllOf(parts: readonly Schema[], root: Schema, depth: number): Schema {
  const all = parts.map((part) => resolveSchema(part, root, depth + 1))
  const required = [...new Set(all.flatMap((part) => part.required ?? []))]
  return {
    ...(Object.assign({}, ...all) as Schema),
    ...(all.some(({ properties }) => properties) && { properties: Object.assign({}, ...all.map(({ properties }) => properties)) }),
    ...(required.length > 0 && { required }),
  }
}

/** Resolves references within the schema only. Nothing is fetched. */
function resolveReference(reference: string, root: Schema): Schema | undefined {
  const [, place, name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? []
  const parts = place === 'definitions' ? root.definitions : place === '$defs' ? root.$defs : undefined
  return parts?.[name] ?? parts?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** Fields of an object by `position`, the author's order. */
export const orderedFields = (schema: Schema): [string, Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0))

/** Initial values of a form: defaults and constants. */
export function defaultValues(schema: Schema, root: Schema): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of orderedFields(schema)) {
    const start = initialValue(field, root, schema.required?.includes(name) ?? false)
    if (start !== undefined) values[name] = start
  }
  return values
}

function initialValue(field: Schema, root: Schema, required: boolean): unknown {
  const inner = resolveSchema(field, root)
  if (inner.default !== undefined) return inner.default
  if (inner.const !== undefined) return inner.const
  const kind = fieldKind(inner)
  if (kind === 'object') {
    const nested = defaultValues(inner, root)
    return Object.keys(nested).length > 0 ? nested : undefined
  }
  // A switch that is off counts as false, because it looks answered.
  return kind === 'boolean' && required && !inner.nullable ? false : undefined
}

/** Initial value of a new list item or a selected union branch. */
export function emptyValue(schema: Schema, root: Schema): unknown {
  const inner = resolveSchema(schema, root)
  const start = initialValue(inner, root, true)
  if (start !== undefined) return start
  const empties: Partial<Record<ReturnType<typeof fieldKind>, unknown>> = { object: {}, map: {}, list: [], text: '', 'long-text': '' }
  return empties[fieldKind(inner)]
}

/** Paths of fields that are missing or not parsed yet. */
export function listMissingFields(schema: Schema, root: Schema, value: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] {
  return orderedFields(schema).flatMap(([name, field]) => {
    const inner = resolveSchema(field, root)
    const here = [...at, name]
    const fieldValue = value[name]
    if (isUnparsedInput(fieldValue)) return [here.join('.')]
    if (fieldValue === undefined) return schema.required?.includes(name) ? [here.join('.')] : []
    return fieldKind(inner) === 'object' && typeof fieldValue === 'object' && fieldValue !== null
      ? listMissingFields(inner, root, fieldValue as Record<string, unknown>, here)
      : []
  })
}

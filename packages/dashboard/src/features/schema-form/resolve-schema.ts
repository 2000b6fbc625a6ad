import { fieldKind, isUnparsedInput } from './field-kind.ts'
import type { Schema } from './json-schema.ts'

const referencesMax = 10

/** Without references and wrappings: a reference to a part of the same schema, one schema that may also be null, several that are to be one. */
export function resolveSchema(schema: Schema, root: Schema, depth = 0): Schema {
  let found = extractNullable(schema)
  if (depth > referencesMax) return {}
  for (let hop = 0; hop < referencesMax; hop++) {
    const { $ref, anyOf, oneOf, allOf, ...said } = found
    const choices = (anyOf ?? oneOf)?.filter((each) => !isNull(each))
    const nullable = (anyOf ?? oneOf)?.some(isNull) ? ({ nullable: true } as const) : {}
    if ($ref) {
      const target = resolveReference($ref, root)
      if (!target) return found
      found = extractNullable({ ...target, ...said })
    } else if (choices?.length === 1) found = extractNullable({ ...choices[0], ...said, ...nullable })
    else if (allOf?.length) found = extractNullable({ ...mergeAllOf(allOf, root, depth), ...(anyOf && { anyOf }), ...(oneOf && { oneOf }), ...said })
    else return choices ? { ...found, ...nullable } : found
  }
  return found
}

const isNull = ({ type, const: only }: Schema): boolean => type === 'null' || only === null

/** `type: ["string", "null"]`, and `null` among the words of a choice. */
function extractNullable(schema: Schema): Schema {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (types && types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null')
    return { ...schema, type: rest.length === 1 ? (rest[0] as string) : rest, nullable: true }
  }
  return schema
}

/** All that several schemas ask of one value. */
function mergeAllOf(parts: readonly Schema[], root: Schema, depth: number): Schema {
  const all = parts.map((part) => resolveSchema(part, root, depth + 1))
  const required = [...new Set(all.flatMap((part) => part.required ?? []))]
  return {
    ...(Object.assign({}, ...all) as Schema),
    ...(all.some(({ properties }) => properties) && { properties: Object.assign({}, ...all.map(({ properties }) => properties)) }),
    ...(required.length > 0 && { required }),
  }
}

/** Only parts of the schema itself: nothing is fetched from elsewhere. */
function resolveReference(reference: string, root: Schema): Schema | undefined {
  const [, place, name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? []
  const parts = place === 'definitions' ? root.definitions : place === '$defs' ? root.$defs : undefined
  return parts?.[name] ?? parts?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** The fields of an object in the order that its author wrote them, where that is told. */
export const orderedFields = (schema: Schema): [string, Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0))

/** What a form starts with: the defaults, and what can be nothing else. */
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
  // A switch that is off looks answered, so it is.
  return kind === 'boolean' && required && !inner.nullable ? false : undefined
}

/** What a new item of a list, or a newly chosen kind of value, starts with. */
export function emptyValue(schema: Schema, root: Schema): unknown {
  const inner = resolveSchema(schema, root)
  const start = initialValue(inner, root, true)
  if (start !== undefined) return start
  const empties: Partial<Record<ReturnType<typeof fieldKind>, unknown>> = { object: {}, map: {}, list: [], text: '', 'long-text': '' }
  return empties[fieldKind(inner)]
}

/** What is missing, or stands there half-written, by the place of the field. */
export function listMissingFields(schema: Schema, root: Schema, value: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] {
  return orderedFields(schema).flatMap(([name, field]) => {
    const inner = resolveSchema(field, root)
    const here = [...at, name]
    const held = value[name]
    if (isUnparsedInput(held)) return [here.join('.')]
    if (held === undefined) return schema.required?.includes(name) ? [here.join('.')] : []
    return fieldKind(inner) === 'object' && typeof held === 'object' && held !== null
      ? listMissingFields(inner, root, held as Record<string, unknown>, here)
      : []
  })
}

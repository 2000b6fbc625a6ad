import { fieldKind, isUnfinished } from './field-kind.ts'
import type { Schema } from './schema-shape.ts'

const refsMax = 10

/** Without references and wrappings: a reference to a part of the same schema, one schema that may also be null, several that are to be one. */
export function resolved(schema: Schema, root: Schema, depth = 0): Schema {
  let found = withoutNull(schema)
  if (depth > refsMax) return {}
  for (let hop = 0; hop < refsMax; hop++) {
    const { $ref, anyOf, oneOf, allOf, ...said } = found
    const choices = (anyOf ?? oneOf)?.filter((each) => !isNull(each))
    const orNull = (anyOf ?? oneOf)?.some(isNull) ? ({ orNull: true } as const) : {}
    if ($ref) {
      const target = referred($ref, root)
      if (!target) return found
      found = withoutNull({ ...target, ...said })
    } else if (choices?.length === 1) found = withoutNull({ ...choices[0], ...said, ...orNull })
    else if (allOf?.length) found = withoutNull({ ...joined(allOf, root, depth), ...(anyOf && { anyOf }), ...(oneOf && { oneOf }), ...said })
    else return choices ? { ...found, ...orNull } : found
  }
  return found
}

const isNull = ({ type, const: only }: Schema): boolean => type === 'null' || only === null

/** `type: ["string", "null"]`, and `null` among the words of a choice. */
function withoutNull(schema: Schema): Schema {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (types && types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null')
    return { ...schema, type: rest.length === 1 ? (rest[0] as string) : rest, orNull: true }
  }
  return schema
}

/** All that several schemas ask of one value. */
function joined(parts: readonly Schema[], root: Schema, depth: number): Schema {
  const all = parts.map((part) => resolved(part, root, depth + 1))
  const required = [...new Set(all.flatMap((part) => part.required ?? []))]
  return {
    ...(Object.assign({}, ...all) as Schema),
    ...(all.some(({ properties }) => properties) && { properties: Object.assign({}, ...all.map(({ properties }) => properties)) }),
    ...(required.length > 0 && { required }),
  }
}

/** Only parts of the schema itself: nothing is fetched from elsewhere. */
function referred(reference: string, root: Schema): Schema | undefined {
  const [, place, name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? []
  const parts = place === 'definitions' ? root.definitions : place === '$defs' ? root.$defs : undefined
  return parts?.[name] ?? parts?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** The fields of an object in the order that its author wrote them, where that is told. */
export const fieldsOf = (schema: Schema): [string, Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0))

/** What a form starts with: the defaults, and what can be nothing else. */
export function defaultsOf(schema: Schema, root: Schema): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of fieldsOf(schema)) {
    const start = startOf(field, root, schema.required?.includes(name) ?? false)
    if (start !== undefined) values[name] = start
  }
  return values
}

function startOf(field: Schema, root: Schema, required: boolean): unknown {
  const inner = resolved(field, root)
  if (inner.default !== undefined) return inner.default
  if (inner.const !== undefined) return inner.const
  const kind = fieldKind(inner)
  if (kind === 'object') {
    const nested = defaultsOf(inner, root)
    return Object.keys(nested).length > 0 ? nested : undefined
  }
  // A switch that is off looks answered, so it is.
  return kind === 'boolean' && required && !inner.orNull ? false : undefined
}

/** What a new item of a list, or a newly chosen kind of value, starts with. */
export function emptyOf(schema: Schema, root: Schema): unknown {
  const inner = resolved(schema, root)
  const start = startOf(inner, root, true)
  if (start !== undefined) return start
  const empties: Partial<Record<ReturnType<typeof fieldKind>, unknown>> = { object: {}, map: {}, list: [], text: '', 'long-text': '' }
  return empties[fieldKind(inner)]
}

/** What is missing, or stands there half-written, by the place of the field. */
export function missingIn(schema: Schema, root: Schema, value: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] {
  return fieldsOf(schema).flatMap(([name, field]) => {
    const inner = resolved(field, root)
    const here = [...at, name]
    const held = value[name]
    if (isUnfinished(held)) return [here.join('.')]
    if (held === undefined) return schema.required?.includes(name) ? [here.join('.')] : []
    return fieldKind(inner) === 'object' && typeof held === 'object' && held !== null
      ? missingIn(inner, root, held as Record<string, unknown>, here)
      : []
  })
}

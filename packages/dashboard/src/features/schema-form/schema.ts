/** What a form has to know of a JSON schema. Everything it does not know is edited as JSON. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly position?: number
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'object' | 'json'

const refsMax = 10

/** Without references and wrappings: a reference to a part of the same schema, one schema that may also be null, one that is only wrapped. */
export function resolved(schema: Schema, root: Schema): Schema {
  let found = schema
  for (let hop = 0; hop < refsMax; hop++) {
    const { $ref, anyOf, allOf, ...said } = found
    const only = allOf?.length === 1 ? allOf[0] : nonNull(anyOf)
    const next = $ref ? referred($ref, root) : only
    if (!next) return found
    found = { ...next, ...said }
  }
  return found
}

function nonNull(anyOf: readonly Schema[] | undefined): Schema | undefined {
  const rest = anyOf?.filter(({ type }) => type !== 'null')
  return anyOf && rest?.length === 1 ? rest[0] : undefined
}

/** Only parts of the schema itself: nothing is fetched from elsewhere. */
function referred(reference: string, root: Schema): Schema | undefined {
  const [, place, name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? []
  return place === 'definitions' ? root.definitions?.[name] : place === '$defs' ? root.$defs?.[name] : undefined
}

export function fieldKind(schema: Schema): FieldKind {
  if (schema.enum) return 'choice'
  if (schema.type === 'string') return 'text'
  if (schema.type === 'number' || schema.type === 'integer' || schema.type === 'boolean') return schema.type
  return schema.type === 'object' && schema.properties && Object.keys(schema.properties).length > 0 ? 'object' : 'json'
}

/** The fields of an object in the order that its author wrote them, where that is told. */
export const fieldsOf = (schema: Schema): [string, Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0))

/** What a form starts with: the defaults, and nothing else. */
export function defaultsOf(schema: Schema, root: Schema): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of fieldsOf(schema)) {
    const inner = resolved(field, root)
    if (inner.default !== undefined) values[name] = inner.default
    else if (fieldKind(inner) === 'object') {
      const nested = defaultsOf(inner, root)
      if (Object.keys(nested).length > 0) values[name] = nested
    }
  }
  return values
}

/** What is missing, by the place of the field. */
export function missingIn(schema: Schema, root: Schema, value: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] {
  return fieldsOf(schema).flatMap(([name, field]) => {
    const inner = resolved(field, root)
    const here = [...at, name]
    const held = value[name]
    if (held === undefined) return schema.required?.includes(name) ? [here.join('.')] : []
    return fieldKind(inner) === 'object' && typeof held === 'object' && held !== null
      ? missingIn(inner, root, held as Record<string, unknown>, here)
      : []
  })
}

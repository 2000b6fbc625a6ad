import { Ajv2020, type ErrorObject, MissingRefError, type ValidateFunction } from 'ajv/dist/2020.js'

/** Why a value is refused. `schema`: the schema itself is no good; `circular`: it leads back to itself without end. */
export interface SchemaRefusal {
  readonly kind: 'value' | 'schema' | 'circular'
  /** Where in the value, such as `limits[0]`; empty for the value as a whole. */
  readonly place: string
  readonly reason: string
}

export interface SchemaOptions {
  /** A part of the whole is fine: what is missing may come later. */
  readonly ignoreRequired?: boolean
  /** Reads schemas that Pydantic 1 wrote: optional fields may be null, lists of `items` are tuples. */
  readonly mend?: boolean
  /** With `mend`: also fields with a default may be null. */
  readonly nullForDefaults?: boolean
}

type Schema = Record<string, unknown>
/** With the schema that was compiled, where it is not the one that was given. */
type Compiled = { readonly schema?: Schema } & ({ readonly validate: ValidateFunction } | { readonly refusal: SchemaRefusal })

/**
 * Formats are not judged, as in the v3 API. Schemas are not remembered under their `$id`, so that two of one name do not meet, and
 * nothing is ever fetched: a reference must lead into the schema itself.
 */
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false })

/** Stands where a reference leads nowhere: only a value that comes there is refused, as in the v3 API, since the rest of the schema is as good as any. */
const nowhere = 'x-leads-nowhere'
const leadsNowhere: { (reference: string): boolean; errors?: Partial<ErrorObject>[] } = (reference) => {
  leadsNowhere.errors = [{ keyword: nowhere, message: `cannot be judged: the reference ${reference} leads nowhere`, params: {} }]
  return false
}
ajv.addKeyword({ keyword: nowhere, schemaType: 'string', validate: leadsNowhere, errors: true })

/** A schema takes 1 to 14 ms to compile and then judges in less than a microsecond: the last ones are kept. */
const compiled = new Map<string, Compiled & { readonly schema: Schema }>()
const compiledMax = 256

/** What is wrong with a value by a schema, which is JSON text as it is stored; undefined when nothing is. */
export function refusalOf(schemaText: string, value: unknown, options: SchemaOptions = {}): SchemaRefusal | undefined {
  const known = compileOnce(schemaText, options)
  if ('refusal' in known) return known.refusal
  try {
    return known.validate(value) ? undefined : describe(known.validate.errors?.[0])
  } catch (error) {
    if (error instanceof RangeError) return circular
    throw error
  }
}

/** What is wrong with a schema. */
export function schemaRefusal(schemaText: string): SchemaRefusal | undefined {
  const known = compileOnce(schemaText, {})
  return 'refusal' in known && known.refusal.kind === 'schema' ? known.refusal : undefined
}

const circular: SchemaRefusal = { kind: 'circular', place: '', reason: 'The schema refers to itself without end' }

function compileOnce(text: string, options: SchemaOptions): Compiled {
  const key = `${options.ignoreRequired ? 'r' : ''}${options.mend ? 'm' : ''}${options.nullForDefaults ? 'n' : ''} ${text}`
  let known = compiled.get(key)
  compiled.delete(key)
  if (!known) {
    const schema = adapted(JSON.parse(text) as Schema, options)
    known = { schema, ...compile(schema) }
    const oldest = compiled.size < compiledMax ? undefined : compiled.entries().next().value
    if (oldest) {
      ajv.removeSchema(oldest[1].schema)
      compiled.delete(oldest[0])
    }
  }
  // The last used come last.
  compiled.set(key, known)
  return known
}

/** Every reference that leads nowhere costs another compilation; with more of them than `deadEnds` the schema is taken for none. */
function compile(schema: Schema, deadEnds = 10): Compiled {
  try {
    if (!ajv.validateSchema(schema)) {
      const { place, reason } = describe(ajv.errors?.[0])
      return { refusal: { kind: 'schema', place, reason } }
    }
    return { validate: ajv.compile(schema) }
  } catch (error) {
    if (error instanceof RangeError) return { refusal: circular }
    const closed = error instanceof MissingRefError && deadEnds > 0 ? withDeadEnds(schema, error.missingRef) : schema
    if (closed !== schema) {
      ajv.removeSchema(schema)
      return { schema: closed, ...compile(closed, deadEnds - 1) }
    }
    // A pattern that is none.
    return { refusal: { kind: 'value', place: '', reason: error instanceof Error ? error.message : String(error) } }
  }
}

function describe(error: ErrorObject | undefined): SchemaRefusal {
  const place = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), '')
  const params = (error?.params ?? {}) as Record<string, unknown>
  const more = params.allowedValues ?? params.additionalProperty ?? params.unevaluatedProperty
  return { kind: 'value', place, reason: `${error?.message ?? 'is not valid'}${more === undefined ? '' : `: ${JSON.stringify(more)}`}` }
}

/** Keywords that hold schemas by name. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that hold values, whatever these look like. */
const values = new Set(['enum', 'const', 'default', 'examples', 'example'])

/** A copy that Ajv reads as any validator of the draft would: without the words that mean something to Ajv alone. */
export function adapted(schema: Schema, options: SchemaOptions): Schema {
  const copy = rewritten(schema, (word, value) => ajvsOwn.has(word) || (word === 'id' && typeof value === 'string')) as Schema
  // Without a name of its own, `#` would be the root of nothing.
  copy.$id ??= 'urn:millrace:schema'
  if (options.mend) mend(copy, options)
  return options.ignoreRequired ? (rewritten(copy, (word, value) => word === 'required' && Array.isArray(value)) as Schema) : copy
}

const ajvsOwn = new Set(['$schema', '$async', 'nullable'])

/** Copies a schema without the words that `drop` names, in every schema within it. */
function rewritten(schema: unknown, drop: (word: string, value: unknown) => boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => rewritten(item, drop))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = (word: string, value: unknown): unknown => {
    if (values.has(word)) return value
    if (!byName.has(word) || typeof value !== 'object' || value === null || Array.isArray(value)) return rewritten(value, drop)
    return Object.fromEntries(Object.entries(value).map(([name, named]) => [name, rewritten(named, drop)]))
  }
  return Object.fromEntries(Object.entries(schema).flatMap(([word, value]) => (drop(word, value) ? [] : [[word, inner(word, value)]])))
}

/** The schema itself if it has no such reference. */
function withDeadEnds(schema: Schema, missing: string): Schema {
  let found = false
  const closed = (part: unknown, word = ''): unknown => {
    if (Array.isArray(part)) return part.map((item) => closed(item))
    if (typeof part !== 'object' || part === null || values.has(word)) return part
    const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value, name)]))
    if (typeof copy.$ref !== 'string' || !missing.endsWith(copy.$ref)) return copy
    found = true
    const { $ref, ...rest } = copy
    return { ...rest, [nowhere]: $ref }
  }
  const copy = closed(schema) as Schema
  return found ? copy : schema
}

function mend(schema: Schema, options: SchemaOptions): void {
  mendProperties(schema, options)
  for (const definition of Object.values((schema.definitions ?? {}) as Record<string, Schema>)) {
    mendProperties(definition, options)
    if ('block_type_slug' in definition) allowReference(schema, definition)
  }
}

function mendProperties(schema: Schema, options: SchemaOptions): void {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    if (typeof property !== 'object' || property === null) continue
    const mayBeNull = !required.includes(name) && (options.nullForDefaults || !('default' in property))
    if (mayBeNull && property.type !== undefined && property.type !== 'null') {
      property.anyOf = [{ type: property.type }, { type: 'null' }]
      delete property.type
    }
    if (Array.isArray(property.items) && property.items.length > 0 && !property.prefixItems) {
      property.prefixItems = property.items
      delete property.items
    }
    if (property.properties) mendProperties(property, options)
  }
}

/** A block may be given by its id instead of by its fields. */
function allowReference(schema: Schema, definition: Schema): void {
  const reference = { oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 }] }
  const byReference = { type: 'object', properties: { $ref: reference }, required: ['$ref'] }
  ;(schema.definitions as Schema)[String(definition.title)] = { oneOf: [{ ...definition }, byReference] }
}

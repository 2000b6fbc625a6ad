import Type, { type Static, type TNull, type TOptional, type TSchema, type TUnion } from 'typebox'

/**
 * The primitive schemas of the wire format.
 *
 * The server parses requests by these schemas (as leniently as the v3 API: `"2"` is an integer, `1` is true) and publishes them
 * as its OpenAPI document. Custom annotations:
 * `x-free` keeps a value as sent; `x-parameters` marks a body of named parameters, which ignores unknown keys and reads null as the
 * default; `x-text` is a string that rejects NUL characters (PostgreSQL does not support them);
 * `x-unset` marks a default that is published but not applied; `x-default` is the published spelling of a default;
 * `x-items-max` is the maximum number of list items or object keys, which the v3 API does not limit;
 * `x-characters-max` is the maximum total length of the texts of a list;
 * `x-bytes-max` is the maximum length of a text in UTF-8;
 * `x-own` marks a parameter that the v3 API does not have;
 * `x-outdated` names keys that old clients send: they are dropped where other unknown keys are rejected.
 *
 * Unknown keys of an object: `additionalProperties: false` rejects them, `true` keeps them, and without it they are dropped.
 */

export const Uuid = Type.String({ format: 'uuid' })

/** RFC 3339 with microseconds. Parsed leniently (a blank instead of T, UTC without a zone, seconds since 1970), written with Z and without a zero fraction. */
export const Time = Type.String({ format: 'date-time' })

/** A time that is kept as it was sent, offset and digits included, if it is RFC 3339. */
export const TimeAsSent = Type.String({ format: 'date-time', 'x-as-sent': true })

export const Text = Type.String({ 'x-text': true })

/** Seconds. Also accepts ISO 8601 (`PT1H`) and `HH:MM:SS`; always written as a number. */
export const Duration = duration()

/**
 * The limits of names, keys and tags that a request stores. An index entry of PostgreSQL has at most 2,704 bytes, so that more than that would be refused
 * after a write only. Older servers stored longer ones, and so may the source of an adoption: responses have no limit.
 */
export const nameLimits = { maxLength: 1000, 'x-bytes-max': 2500, 'x-text': true } as const

export const Name = Type.String(nameLimits)

/** Two of these are in one index. */
export const keyLimits = { ...nameLimits, 'x-bytes-max': 1300 } as const

export const Key = Type.String(keyLimits)

/** Names in paths. */
const inPath = { pattern: '^[^/%&><]+$', minLength: 1 }
export const PathName = Type.String({ ...inPath, 'x-text': true })
export const NewPathName = Type.String({ ...inPath, ...nameLimits })

/** Any JSON, kept as sent. */
export const FreeJson = Type.Unsafe<unknown>({ 'x-free': true })

/** Any JSON object, kept as sent. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, 'x-free': true })

export const Labels = Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Text]))
export type Labels = Static<typeof Labels>

/** Limits far above ordinary use. */
export const Tags = Type.Array(Name, { 'x-items-max': 1000, 'x-characters-max': 100_000 })

/** The common fields of stored entities. */
export const entityFields = { id: Uuid, created: nullable(Time), updated: nullable(Time) }

type Annotations = { deprecated?: true; 'x-default'?: string; 'x-own'?: true }

/** A type-level mark: the server applies a default. */
type HasDefault = { default: unknown }

/** An optional field with the default `value`. */
export function defaulted<T extends TSchema>(schema: T, value: Static<T> | null, annotations: Annotations = {}): TOptional<T> & HasDefault {
  return Type.Optional(annotate(schema, { default: value, ...annotations })) as unknown as TOptional<T> & HasDefault
}

/** A field that may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** An optional, nullable field with the default null. */
export function orNull<T extends TSchema>(schema: T, annotations: Annotations = {}): TOptional<TUnion<[T, TNull]>> & HasDefault {
  return Type.Optional(annotate(nullable(schema), { default: null, ...annotations })) as unknown as TOptional<TUnion<[T, TNull]>> & HasDefault
}

/** An optional object field. The default is an object with its own defaults. */
export function emptyDefault<T extends TSchema & { properties: Record<string, TSchema> }>(schema: T): TOptional<T> & HasDefault {
  const defaults = Object.entries(schema.properties).flatMap(([key, field]) => ('default' in field ? [[key, field.default]] : []))
  return defaulted(schema, Object.fromEntries(defaults) as Static<T>)
}

/** A field of an update that keeps its value when omitted, although the v3 API publishes a default. */
export function publishedDefault<T extends TSchema>(schema: T, published: Static<T>): TOptional<T> {
  return Type.Optional(annotate(schema, { default: published, 'x-unset': true })) as unknown as TOptional<T>
}

/** Seconds within limits. */
export function duration(limits: { minimum?: number; exclusiveMinimum?: number } = {}) {
  return Type.Unsafe<number>({ type: 'number', format: 'time-delta', ...limits })
}

/** A named enum. */
export function namedEnum<const W extends string>(name: string, ...values: W[]) {
  return Type.Unsafe<W>({ type: 'string', enum: values, $id: name })
}

/** An anonymous enum. */
export function enumOf<const W extends string>(...values: W[]) {
  return Type.Unsafe<W>({ type: 'string', enum: values })
}

/** Two texts. */
export const TextPair = Type.Unsafe<[string, string]>(Type.Array(Text, { minItems: 2, maxItems: 2 }))

/** A body that is one object. Rejects unknown keys, except those of old clients. */
export function model<P extends Record<string, TSchema>>(name: string, properties: P, outdated: readonly string[] = []) {
  return Type.Object(properties, { $id: name, additionalProperties: false, ...(outdated.length > 0 && { 'x-outdated': outdated }) })
}

/** A part of a body, often of responses too. Drops unknown keys. */
export function lenientModel<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { $id: name })
}

/** A response or a part of one. Later versions may add fields. */
export function response<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { $id: name })
}

/** A body of named parameters: ignores unknown keys and reads null as the default. */
export function parameters<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { 'x-parameters': true })
}

/** A copy with annotations. Spreading would lose the hidden properties of TypeBox. */
function annotate<T extends TSchema>(schema: T, annotations: object): T {
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), ...Object.getOwnPropertyDescriptors(annotations) }) as T
}

/** The parsed type of `S`: fields with a default are present. Nested objects keep their sent type. */
export type Received<S> = S extends { anyOf: infer Members extends readonly unknown[] }
  ? Received<Members[number]>
  : S extends { properties: infer Fields extends Record<string, TSchema> }
    ? Flat<
        { [K in keyof Fields as IsPresent<Fields[K]> extends true ? K : never]: Static<Fields[K]> } & {
          [K in keyof Fields as IsPresent<Fields[K]> extends true ? never : K]?: Static<Fields[K]>
        }
      >
    : S extends TSchema
      ? Static<S>
      : never

type IsPresent<Field> = Field extends { '~optional': true } ? (Field extends HasDefault ? true : false) : true
type Flat<T> = { [K in keyof T]: T[K] }

import Type, { type Static, type TNull, type TOptional, type TSchema, type TUnion } from 'typebox'

/**
 * The few kinds of value that every shape on the wire is made of.
 *
 * The server reads requests by these schemas (lax as the v3 API is: `"2"` is an integer, `1` is true) and publishes them
 * as its OpenAPI document. Annotations of our own steer them:
 * `x-free` keeps a value as it was sent; `x-parameters` marks a body of several named parameters, in which unknown keys
 * are ignored and null means the default; `x-text` is a string whose NUL characters are refused (PostgreSQL has none);
 * `x-unset` marks a default that is published but not filled in; `x-default` is the spelling in which a default is published;
 * `x-items-max` is the most items of a list or keys of an object, which the v3 API does not limit;
 * `x-characters-max` is the most characters that the texts of a list have together;
 * `x-own` marks a parameter that the v3 API does not have;
 * `x-outdated` names keys that clients of old versions send and that mean nothing any more: they are dropped where others are refused.
 *
 * Objects differ in what becomes of keys they do not name: `additionalProperties: false` refuses them, `true` keeps them,
 * and without it they are dropped.
 */

export const Uuid = Type.String({ format: 'uuid' })

/** RFC 3339 with microseconds. Read leniently (a blank for the T, no zone for UTC, seconds since 1970), written with Z. */
export const Time = Type.String({ format: 'date-time' })

export const Text = Type.String({ 'x-text': true })

/** Seconds. Also read from ISO 8601 (`PT1H`) and `HH:MM:SS`, always written as a number. */
export const Duration = duration()

/** Names that stand in paths. */
export const PathName = Type.String({ pattern: '^[^/%&><]+$', minLength: 1, 'x-text': true })

/** Any JSON at all, kept as sent. */
export const FreeJson = Type.Unsafe<unknown>({ 'x-free': true })

/** Any JSON object, kept as sent. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, 'x-free': true })

export const Labels = Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Text]))
export type Labels = Static<typeof Labels>

/** More tags, or longer ones, are nobody's. */
export const Tags = Type.Array(Text, { 'x-items-max': 1000, 'x-characters-max': 100_000 })

/** What every stored thing begins with. */
export const entityFields = { id: Uuid, created: nullable(Time), updated: nullable(Time) }

type Annotations = { deprecated?: true; 'x-default'?: string; 'x-own'?: true }

/** Marks, for types alone, that the server fills the field in. */
type HasDefault = { default: unknown }

/** A field that may be left out, and is then `value`. */
export function defaulted<T extends TSchema>(schema: T, value: Static<T> | null, annotations: Annotations = {}): TOptional<T> & HasDefault {
  return Type.Optional(annotate(schema, { default: value, ...annotations })) as unknown as TOptional<T> & HasDefault
}

/** A field that may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** A field that may be null or left out, and is then null. */
export function orNull<T extends TSchema>(schema: T, annotations: Annotations = {}): TOptional<TUnion<[T, TNull]>> & HasDefault {
  return Type.Optional(annotate(nullable(schema), { default: null, ...annotations })) as unknown as TOptional<TUnion<[T, TNull]>> & HasDefault
}

/** A field of a part that may be left out, and is then a part with nothing but its own defaults. */
export function emptyDefault<T extends TSchema & { properties: Record<string, TSchema> }>(schema: T): TOptional<T> & HasDefault {
  const defaults = Object.entries(schema.properties).flatMap(([key, field]) => ('default' in field ? [[key, field.default]] : []))
  return defaulted(schema, Object.fromEntries(defaults) as Static<T>)
}

/** A field of an update that stays as it is when left out, though the v3 API publishes a default for it. */
export function publishedDefault<T extends TSchema>(schema: T, published: Static<T>): TOptional<T> {
  return Type.Optional(annotate(schema, { default: published, 'x-unset': true })) as unknown as TOptional<T>
}

/** Seconds within limits. */
export function duration(limits: { minimum?: number; exclusiveMinimum?: number } = {}) {
  return Type.Unsafe<number>({ type: 'number', format: 'time-delta', ...limits })
}

/** A fixed set of words. */
export function namedEnum<const W extends string>(name: string, ...values: W[]) {
  return Type.Unsafe<W>({ type: 'string', enum: values, $id: name })
}

/** A fixed set of words that goes by no name. */
export function enumOf<const W extends string>(...values: W[]) {
  return Type.Unsafe<W>({ type: 'string', enum: values })
}

/** Two texts. */
export const TextPair = Type.Unsafe<[string, string]>(Type.Array(Text, { minItems: 2, maxItems: 2 }))

/** A body that is one object; unknown keys are refused, but for those that old clients send. */
export function model<P extends Record<string, TSchema>>(name: string, properties: P, outdated: readonly string[] = []) {
  return Type.Object(properties, { $id: name, additionalProperties: false, ...(outdated.length > 0 && { 'x-outdated': outdated }) })
}

/** A part of a body, often of answers too; unknown keys are dropped. */
export function lenientModel<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { $id: name })
}

/** An answer, or a part of one; more fields may come with later versions. */
export function response<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { $id: name })
}

/** A body of named parameters: unknown keys are ignored and null means the default. */
export function parameters<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { 'x-parameters': true })
}

/** A copy with more said of it. Spreading would lose the hidden properties by which TypeBox knows its own. */
function annotate<T extends TSchema>(schema: T, annotations: object): T {
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), ...Object.getOwnPropertyDescriptors(annotations) }) as T
}

/** What the server has once it has read `S`: fields with a default are there. Parts within keep the type they are sent with. */
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

import Type, { type TSchema } from 'typebox'

/** Another variable for a setting. The value of a `duration` is a duration (`PT1H`, `7d`), which is converted to the unit of the setting. */
export type Alias = string | { duration: string }

/** Metadata of a setting in addition to its JSON schema. */
export interface SettingMetadata {
  /** One sentence for docs/config.md. */
  description: string
  default: unknown
  /** Read in this order, after the setting's own name. */
  aliases?: readonly Alias[]
  /** Never shown. `password`: a URL whose password is hidden. A secret can also be read from a file, whose path is in the variable with `_FILE`. */
  secret?: true | 'password'
  /** Format of the text, if the type is not specific enough. */
  form?: string
  /** Alternative words for the choices. */
  synonyms?: Readonly<Record<string, string>>
  /** Converts the text to its canonical form. Throws an error with the reason if the text is not valid. */
  normalise?(text: string, home: string): string
}

type OptionalMetadata = Omit<SettingMetadata, 'description' | 'default'>

export const integer = (value: number, description: string, rest: OptionalMetadata & { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ default: value, description, minimum: 1, ...rest })

type Range = { minimum?: number; exclusiveMinimum?: number; maximum?: number }

export const seconds = (value: number, description: string, rest: OptionalMetadata & Range = {}) =>
  Type.Number({ default: value, description, ...('minimum' in rest ? {} : { exclusiveMinimum: 0 }), ...rest })

/** Seconds for a timer. Node timers longer than 24 days fire at once. */
export const interval = (value: number, description: string, rest: OptionalMetadata & Range = {}) =>
  seconds(value, description, { maximum: 604_800, ...rest })

/** An interval whose default `none` has its own meaning. */
export const optionalInterval = (description: string, rest: OptionalMetadata & { minimum: number }) => {
  const { minimum, ...facts } = rest
  return Type.Union([Type.Number({ minimum, maximum: 604_800 }), Type.Null()], { default: null, description, ...facts })
}

/** A whole number whose default `none` has its own meaning. */
export const optionalInteger = (description: string, rest: OptionalMetadata & { minimum: number; maximum: number }) => {
  const { minimum, maximum, ...facts } = rest
  return Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], { default: null, description, ...facts })
}

/** From 0 to 1. */
export const ratio = (value: number, description: string, rest: OptionalMetadata = {}) =>
  Type.Number({ default: value, description, minimum: 0, maximum: 1, ...rest })

export const days = (value: number | null, description: string, rest: OptionalMetadata = {}) =>
  Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], { default: value, description, ...rest })

export const flag = (value: boolean, description: string, rest: OptionalMetadata = {}) => Type.Boolean({ default: value, description, ...rest })

export const text = (value: string, description: string, rest: OptionalMetadata & { pattern?: string; minLength?: number } = {}) =>
  Type.String({ default: value, description, ...rest })

export const secretText = (description: string, rest: Omit<OptionalMetadata, 'secret'> & { pattern?: string } = {}) => {
  const { pattern, ...facts } = rest
  return Type.Union([Type.String(pattern === undefined ? {} : { pattern }), Type.Null()], { default: null, description, secret: true, ...facts })
}

export const textList = (value: string[], description: string, rest: OptionalMetadata = {}) =>
  Type.Array(Type.String({ minLength: 1 }), { default: value, description, ...rest })

export const choice = <Words extends string[]>(words: readonly [...Words], value: Words[number], description: string, rest: OptionalMetadata = {}) =>
  Type.Enum(words, { default: value, description, ...rest })

export const group = Type.Object

export type Setting = TSchema & SettingMetadata

/** Lists the settings of a schema with their paths, such as `services.late_runs.after_seconds`. */
export function listSettings(schema: TSchema, place: readonly string[] = []): { place: readonly string[]; setting: Setting }[] {
  if (!Type.IsObject(schema)) return [{ place, setting: schema as Setting }]
  return Object.entries(schema.properties).flatMap(([key, inner]) => listSettings(inner, [...place, key]))
}

export const environmentName = (place: readonly string[]): string => `MILLRACE_${place.join('_').toUpperCase()}`

export const aliasName = (alias: Alias): string => (typeof alias === 'string' ? alias : alias.duration)

import Type, { type TSchema } from 'typebox'

/** Another name for a setting. A `duration` is a span of time as existing installations write it (`PT1H`, `7d`), turned into our unit. */
export type Alias = string | { duration: string }

/** What a setting carries beside its JSON schema. */
export interface SettingMetadata {
  /** One sentence for people, who read it in docs/config.md. */
  description: string
  default: unknown
  /** Asked in this order, after the setting's own name. */
  aliases?: readonly Alias[]
  /** Never shown. `password`: a URL of which only the password is hidden. Secrets may also be given as a file, by the name with `_FILE`. */
  secret?: true | 'password'
  /** How a text is written, where the type does not say enough. */
  form?: string
  /** Words that mean one of the choices. */
  synonyms?: Readonly<Record<string, string>>
  /** Turns what a person wrote into the one spelling that the server works with. Throws an Error that says what is wrong. */
  normalise?(text: string, home: string): string
}

type OptionalMetadata = Omit<SettingMetadata, 'description' | 'default'>

export const integer = (value: number, description: string, rest: OptionalMetadata & { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ default: value, description, minimum: 1, ...rest })

type Range = { minimum?: number; exclusiveMinimum?: number; maximum?: number }

export const seconds = (value: number, description: string, rest: OptionalMetadata & Range = {}) =>
  Type.Number({ default: value, description, ...('minimum' in rest ? {} : { exclusiveMinimum: 0 }), ...rest })

/** Seconds that are waited for with a timer, which fires at once when asked to wait longer than 24 days. */
export const interval = (value: number, description: string, rest: OptionalMetadata & Range = {}) =>
  seconds(value, description, { maximum: 604_800, ...rest })

/** The same where leaving it out has a meaning of its own. */
export const optionalInterval = (description: string, rest: OptionalMetadata & { minimum: number }) => {
  const { minimum, ...facts } = rest
  return Type.Union([Type.Number({ minimum, maximum: 604_800 }), Type.Null()], { default: null, description, ...facts })
}

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

/** The settings of a schema with their places in it, `services.late_runs.after_seconds`. */
export function listSettings(schema: TSchema, place: readonly string[] = []): { place: readonly string[]; setting: Setting }[] {
  if (!Type.IsObject(schema)) return [{ place, setting: schema as Setting }]
  return Object.entries(schema.properties).flatMap(([key, inner]) => listSettings(inner, [...place, key]))
}

export const environmentName = (place: readonly string[]): string => `MILLRACE_${place.join('_').toUpperCase()}`

export const aliasName = (alias: Alias): string => (typeof alias === 'string' ? alias : alias.duration)

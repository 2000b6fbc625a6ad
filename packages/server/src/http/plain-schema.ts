import type { TSchema } from 'typebox'

/** The keywords of JSON Schema that the contracts use, and our own annotations. */
export interface PlainSchema {
  readonly type?: string
  readonly anyOf?: readonly TSchema[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: boolean | TSchema
  readonly required?: readonly string[]
  readonly items?: TSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly 'x-free'?: boolean
  readonly 'x-items-max'?: number
  readonly 'x-characters-max'?: number
  readonly 'x-parameters'?: boolean
  readonly 'x-outdated'?: readonly string[]
}

export const plainSchema = (schema: TSchema): PlainSchema => schema as PlainSchema

import { ownEntry } from '../../own-entry.ts'
import type { Schema } from './json-schema.ts'

export type FieldKind =
  | 'text'
  | 'long-text'
  | 'password'
  | 'date'
  | 'date-time'
  | 'duration'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'const'
  | 'list'
  | 'map'
  | 'object'
  | 'union'
  | 'json'

const textKinds: Readonly<Record<string, FieldKind>> = {
  password: 'password',
  date: 'date',
  'date-time': 'date-time',
  duration: 'duration',
  textarea: 'long-text',
  multiline: 'long-text',
  markdown: 'long-text',
  'json-string': 'long-text',
}

/** Above this length a text gets several lines. */
const singleLineLengthMax = 400

/** The kind of field for a resolved schema. */
export function fieldKind(schema: Schema): FieldKind {
  if (schema.const !== undefined) return 'const'
  if (schema.enum) return 'choice'
  if (branchesOf(schema).length > 1) return 'union'
  const { type } = schema
  if (type === 'string') {
    if (schema.writeOnly) return 'password'
    return ownEntry(textKinds, schema.format ?? '') ?? ((schema.maxLength ?? 0) > singleLineLengthMax ? 'long-text' : 'text')
  }
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type === 'array') return schema.items && !schema.prefixItems ? 'list' : 'json'
  if (type === 'object' || (type === undefined && schema.properties)) {
    if (Object.keys(schema.properties ?? {}).length > 0) return 'object'
    return typeof schema.additionalProperties === 'object' ? 'map' : 'json'
  }
  return 'json'
}

/** The branches of a union. Empty for other schemas. */
export function branchesOf(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, type } = schema
  const branches = (anyOf ?? oneOf)?.filter((each) => each.type !== 'null')
  if (branches) return branches
  return Array.isArray(type) ? type.map((each: string) => ({ ...schema, type: each })) : []
}

/** Input that cannot be parsed yet. It takes the place of the value, so that validation finds it before the form is sent. */
export class UnparsedInput {
  readonly text: string
  readonly error: string

  constructor(text: string, error: string) {
    this.text = text
    this.error = error
  }

  toJSON(): string {
    return this.text
  }
}

export const isUnparsedInput = (value: unknown): value is UnparsedInput => value instanceof UnparsedInput

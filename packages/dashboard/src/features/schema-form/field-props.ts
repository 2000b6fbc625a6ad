import type { Schema } from './json-schema.ts'
import type { FieldErrors } from './validate-value.ts'

/** What every field of a form is given, whatever kind of value it edits. */
interface FieldProps {
  readonly label: string
  readonly hint: string | undefined
  readonly required: boolean
  readonly error: string | undefined
}

export interface ValueFieldProps extends FieldProps {
  readonly value: unknown
  onChange(value: unknown): void
}

/** What a field by its schema is told. */
export interface SchemaFieldProps {
  readonly label: string
  readonly schema: Schema
  readonly root: Schema
  readonly required: boolean
  /** Of a list or of a union: that it is needed goes without saying. */
  readonly isNested?: boolean
  readonly value: unknown
  readonly errors: FieldErrors
  readonly path: string
  onChange(value: unknown): void
}

import type { Schema } from './json-schema.ts'
import type { FieldErrors } from './validate-value.ts'

/** Props of every field. */
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

/** Props of a field that a schema describes. */
export interface SchemaFieldProps {
  readonly label: string
  readonly schema: Schema
  readonly root: Schema
  readonly required: boolean
  /** An item of a list or union, which shows no required mark. */
  readonly isNested?: boolean
  readonly value: unknown
  readonly errors: FieldErrors
  readonly path: string
  onChange(value: unknown): void
}

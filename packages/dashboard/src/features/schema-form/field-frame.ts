import type { Faults } from './check-value.ts'
import type { Schema } from './schema-shape.ts'

/** What every field of a form is given, whatever kind of value it edits. */
interface FieldFrame {
  readonly label: string
  readonly hint: string | undefined
  readonly required: boolean
  readonly error: string | undefined
}

export interface ValueFieldProps extends FieldFrame {
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
  readonly isPart?: boolean
  readonly value: unknown
  readonly errors: Faults
  readonly at: string
  onChange(value: unknown): void
}

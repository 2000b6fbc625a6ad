/** What every field of a form is given, whatever kind of value it edits. */
export interface FieldFrame {
  readonly label: string
  readonly hint: string | undefined
  readonly required: boolean
  readonly error: string | undefined
}

export interface ValueFieldProps extends FieldFrame {
  readonly value: unknown
  onChange(value: unknown): void
}

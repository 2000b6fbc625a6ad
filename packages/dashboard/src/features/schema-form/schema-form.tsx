import type { Faults } from './check-value.ts'
import { resolved } from './schema.ts'
import { ObjectFields } from './schema-field.tsx'
import type { Schema } from './schema-shape.ts'

type Values = Readonly<Record<string, unknown>>

interface SchemaFormProps {
  readonly schema: Schema
  readonly value: Values
  onChange(value: Values): void
  /** By the place of the field, `a.b`, `a.0`. */
  readonly errors?: Faults
}

/** A form made from a JSON schema. A field that is emptied is left out of the value. */
export function SchemaForm({ schema, value, onChange, errors = {} }: SchemaFormProps) {
  return <ObjectFields schema={resolved(schema, schema)} root={schema} value={value} onChange={onChange} errors={errors} at="" />
}

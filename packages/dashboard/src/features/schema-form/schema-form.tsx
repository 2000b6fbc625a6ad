import type { Schema } from './json-schema.ts'
import { resolveSchema } from './resolve-schema.ts'
import { ObjectFields } from './schema-field.tsx'
import type { FieldErrors } from './validate-value.ts'

type Values = Readonly<Record<string, unknown>>

interface SchemaFormProps {
  readonly schema: Schema
  readonly value: Values
  onChange(value: Values): void
  /** By field path such as `a.b` or `a.0`. */
  readonly errors?: FieldErrors
}

/** A form from a JSON schema. Emptied fields are removed from the value. */
export function SchemaForm({ schema, value, onChange, errors = {} }: SchemaFormProps) {
  return <ObjectFields schema={resolveSchema(schema, schema)} root={schema} value={value} onChange={onChange} errors={errors} at="" />
}

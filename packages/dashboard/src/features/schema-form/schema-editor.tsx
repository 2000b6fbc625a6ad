import { useState } from 'react'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { isUnparsedInput } from './field-kind.ts'
import { JsonField } from './json-field.tsx'
import type { Schema } from './json-schema.ts'
import { orderedFields, resolveSchema } from './resolve-schema.ts'
import { SchemaForm } from './schema-form.tsx'
import type { FieldErrors } from './validate-value.ts'

type Values = Readonly<Record<string, unknown>>

interface SchemaEditorProps {
  readonly label: string
  /** Null without a schema: only JSON can be edited. */
  readonly schema: Schema | null
  /** An `UnparsedInput` while the JSON is invalid. */
  readonly value: unknown
  onChange(value: unknown): void
  readonly errors?: FieldErrors
}

/** Edits the same value as a form or as JSON. */
export function SchemaEditor({ label, schema, value, onChange, errors = {} }: SchemaEditorProps) {
  const hasFields = schema !== null && orderedFields(resolveSchema(schema, schema)).length > 0
  const [mode, setMode] = useState<'form' | 'json'>(hasFields ? 'form' : 'json')
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnparsedInput(value)
  const others = hasFields && isObject ? Object.keys(value).filter((key) => !(key in (resolveSchema(schema, schema).properties ?? {}))) : []
  const valueError = errors[''] ?? (mode === 'json' ? formatErrors(errors) : undefined)
  return (
    <div className="flex flex-col gap-3">
      {hasFields && (
        <div className="flex items-center gap-3">
          <SegmentedControl<'form' | 'json'>
            label={`${label} as`}
            value={mode}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={setMode}
          />
          {mode === 'form' && others.length > 0 && <span className="text-faint text-sm">Also set: {others.join(', ')} (edit as JSON)</span>}
        </div>
      )}
      {mode === 'form' && hasFields ? (
        isObject ? (
          <>
            {errors[''] && <p className="text-danger text-sm">{errors['']}</p>}
            <SchemaForm schema={schema} value={value as Values} onChange={onChange} errors={errors} />
          </>
        ) : (
          <p className="text-soft">{isUnparsedInput(value) ? 'Invalid JSON.' : 'The JSON must be an object.'} Fix it in the JSON view.</p>
        )
      ) : (
        <JsonField
          label={label}
          hint={undefined}
          required={false}
          error={valueError}
          rows={8}
          value={value}
          onChange={(next) => onChange(next ?? {})}
        />
      )}
    </div>
  )
}

const formatErrors = (errors: FieldErrors): string | undefined =>
  Object.entries(errors)
    .map(([path, message]) => `${path}: ${message}`)
    .join('; ') || undefined

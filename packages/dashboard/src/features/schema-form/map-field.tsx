import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import type { SchemaFieldProps, ValueFieldProps } from './field-props.ts'
import type { Schema } from './json-schema.ts'
import { emptyValue } from './resolve-schema.ts'
import type { FieldErrors } from './validate-value.ts'

interface MapFieldProps extends Omit<ValueFieldProps, 'onChange'> {
  readonly schema: Schema
  readonly root: Schema
  readonly errors: FieldErrors
  readonly at: string
  onChange(value: Record<string, unknown>): void
  children(props: SchemaFieldProps): ReactNode
}

/** Key-value pairs with free keys, such as environment variables. */
export function MapField({ label, hint, required, error, value, onChange, schema, root, errors, at, children }: MapFieldProps) {
  const [name, setName] = useState('')
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  const item = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
  const add = () => {
    const key = name.trim()
    if (key === '' || Object.hasOwn(entries, key)) return
    onChange({ ...entries, [key]: emptyValue(item, root) ?? '' })
    setName('')
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-4 pt-1 pb-3">
      <legend className="px-1 font-medium">
        {label}
        {required && <span className="text-danger"> *</span>}
      </legend>
      {hint && <p className="text-faint text-sm">{hint}</p>}
      {error && <p className="text-danger text-sm">{error}</p>}
      {Object.entries(entries).map(([key, each]) => (
        <div key={key} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            {children({
              label: key,
              schema: { ...item, title: key },
              root,
              required: true,
              isNested: true,
              value: each,
              errors,
              path: `${at}.${key}`,
              onChange: (next) => onChange({ ...entries, [key]: next ?? null }),
            })}
          </div>
          <div className="pt-6">
            <IconButton
              icon="cross"
              label={`Remove ${key}`}
              onClick={() => onChange(Object.fromEntries(Object.entries(entries).filter(([existing]) => existing !== key)))}
            />
          </div>
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <input
          aria-label={`New key in ${label}`}
          placeholder="Key"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            // Adds the key instead of submitting the form.
            event.preventDefault()
            add()
          }}
          className="field min-w-0 flex-1 basis-32"
        />
        <Button icon="plus" aria-label={`Add entry to ${label}`} disabled={name.trim() === '' || Object.hasOwn(entries, name.trim())} onClick={add}>
          Add entry
        </Button>
      </div>
    </fieldset>
  )
}

import type { ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import type { SchemaFieldProps, ValueFieldProps } from './field-props.ts'
import type { Schema } from './json-schema.ts'
import { emptyValue } from './resolve-schema.ts'
import type { FieldErrors } from './validate-value.ts'

interface ListFieldProps extends Omit<ValueFieldProps, 'onChange'> {
  readonly schema: Schema
  readonly root: Schema
  readonly errors: FieldErrors
  readonly at: string
  onChange(value: unknown[]): void
  children(props: SchemaFieldProps): ReactNode
}

/** A list whose items can be added, removed and moved. */
export function ListField({ label, hint, required, error, value, onChange, schema, root, errors, at, children }: ListFieldProps) {
  const items: unknown[] = Array.isArray(value) ? value : []
  const item = schema.items ?? {}
  const move = (from: number, to: number) => {
    const next = [...items]
    next.splice(to, 0, ...next.splice(from, 1))
    onChange(next)
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-4 pt-1 pb-3">
      <legend className="px-1 font-medium">
        {label}
        {required && <span className="text-danger"> *</span>}
      </legend>
      {hint && <p className="text-faint text-sm">{hint}</p>}
      {error && <p className="text-danger text-sm">{error}</p>}
      {items.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no ID, and fields follow their value
        <div key={index} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            {children({
              label: `${label} ${index + 1}`,
              schema: item,
              root,
              required: true,
              isNested: true,
              value: each,
              errors,
              path: `${at}.${index}`,
              onChange: (next) => onChange(items.map((current, position) => (position === index ? next : current))),
            })}
          </div>
          <div className="flex pt-6">
            <IconButton icon="up" label={`Move ${label} ${index + 1} up`} disabled={index === 0} onClick={() => move(index, index - 1)} />
            <IconButton
              icon="down"
              label={`Move ${label} ${index + 1} down`}
              disabled={index === items.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <IconButton
              icon="cross"
              label={`Remove ${label} ${index + 1}`}
              onClick={() => onChange(items.filter((_, position) => position !== index))}
            />
          </div>
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          aria-label={`Add item to ${label}`}
          disabled={schema.maxItems !== undefined && items.length >= schema.maxItems}
          onClick={() => onChange([...items, emptyValue(item, root) ?? null])}
        >
          Add item
        </Button>
      </div>
    </fieldset>
  )
}

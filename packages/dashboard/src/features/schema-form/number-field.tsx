import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { isUnparsedInput } from './field-kind.ts'
import type { ValueFieldProps } from './field-props.ts'
import { formatNumberInput, isSameJson, parseNumberInput } from './json-input.ts'
import type { Schema } from './json-schema.ts'

/** A text input, because a number input rounds long integers and drops invalid text. */
export function NumberField({ value, onChange, error, schema, ...frame }: ValueFieldProps & { readonly schema: Schema }) {
  const kind = schema.type === 'integer' ? 'integer' : 'number'
  const [typed, setTyped] = useState(() => formatNumberInput(value))
  // Shows the typed text until the value changes elsewhere.
  const text = isSameJson(parseNumberInput(typed, kind) ?? null, value ?? null) ? typed : formatNumberInput(value)
  return (
    <TextField
      {...frame}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      placeholder={boundsOf(schema)}
      value={text}
      error={isUnparsedInput(value) ? value.error : error}
      className="max-w-60"
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(parseNumberInput(event.target.value, kind))
      }}
    />
  )
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | undefined {
  const least = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `more than ${exclusiveMinimum}` : ''
  const most = maximum !== undefined ? `up to ${maximum}` : exclusiveMaximum !== undefined ? `less than ${exclusiveMaximum}` : ''
  return [least, most].filter(Boolean).join(', ') || undefined
}

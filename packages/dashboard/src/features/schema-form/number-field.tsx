import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { isSame, numberText, readNumber } from './exact-json.ts'
import type { ValueFieldProps } from './field-frame.ts'
import { isUnfinished } from './field-kind.ts'
import type { Schema } from './schema-shape.ts'

/** A field of text: a number input of the browser would round long integers and swallow what it cannot read. */
export function NumberField({ value, onChange, error, schema, ...frame }: ValueFieldProps & { readonly schema: Schema }) {
  const kind = schema.type === 'integer' ? 'integer' : 'number'
  const [typed, setTyped] = useState(() => numberText(value))
  // As it was typed, unless the value was changed from elsewhere.
  const text = isSame(readNumber(typed, kind) ?? null, value ?? null) ? typed : numberText(value)
  return (
    <TextField
      {...frame}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      placeholder={boundsOf(schema)}
      value={text}
      error={isUnfinished(value) ? value.fault : error}
      className="max-w-60"
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(readNumber(event.target.value, kind))
      }}
    />
  )
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | undefined {
  const least = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `more than ${exclusiveMinimum}` : ''
  const most = maximum !== undefined ? `up to ${maximum}` : exclusiveMaximum !== undefined ? `less than ${exclusiveMaximum}` : ''
  return [least, most].filter(Boolean).join(', ') || undefined
}

import { useState } from 'react'
import { TextAreaField } from '../../ui/field.tsx'
import { isUnparsedInput } from './field-kind.ts'
import type { ValueFieldProps } from './field-props.ts'
import { formatJsonInput, isSameJson, parseJsonInput } from './json-input.ts'

interface JsonFieldProps extends ValueFieldProps {
  readonly rows?: number
}

/** Any value, as JSON. */
export function JsonField({ value, onChange, error, rows = 4, ...frame }: JsonFieldProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : formatJsonInput(value)))
  const text = isSameJson(typed.trim() === '' ? undefined : parseJsonInput(typed), value) ? typed : value === undefined ? '' : formatJsonInput(value)
  return (
    <TextAreaField
      {...frame}
      rows={Math.max(rows, Math.min(24, text.split('\n').length))}
      spellCheck={false}
      className="font-mono text-sm"
      placeholder="JSON"
      value={text}
      error={isUnparsedInput(value) ? value.error : error}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(event.target.value.trim() === '' ? undefined : parseJsonInput(event.target.value))
      }}
    />
  )
}

import { useState } from 'react'
import { TextAreaField } from '../../ui/field.tsx'
import { isSame, jsonText, readJson } from './exact-json.ts'
import type { ValueFieldProps } from './field-frame.ts'
import { isUnfinished } from './field-kind.ts'

interface JsonFieldProps extends ValueFieldProps {
  readonly rows?: number
}

/** Any value at all, as JSON. */
export function JsonField({ value, onChange, error, rows = 4, ...frame }: JsonFieldProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : jsonText(value)))
  const text = isSame(typed.trim() === '' ? undefined : readJson(typed), value) ? typed : value === undefined ? '' : jsonText(value)
  return (
    <TextAreaField
      {...frame}
      rows={Math.max(rows, Math.min(24, text.split('\n').length))}
      spellCheck={false}
      className="font-mono text-sm"
      placeholder="JSON"
      value={text}
      error={isUnfinished(value) ? value.fault : error}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(event.target.value.trim() === '' ? undefined : readJson(event.target.value))
      }}
    />
  )
}

import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { isUnparsedInput, UnparsedInput } from './field-kind.ts'
import type { ValueFieldProps } from './field-props.ts'
import { formatIsoDuration, parseDuration } from './iso-duration.ts'

const invalidDuration = 'Must be a duration, such as 1 h 30 m'

/** A duration entered as `1 h 30 m`. The value is ISO 8601. */
export function IsoDurationField({ value, onChange, error, hint, ...frame }: ValueFieldProps) {
  const [text, setText] = useState(() => (isUnparsedInput(value) ? value.text : typeof value === 'string' ? value : ''))
  const seconds = parseDuration(text)
  return (
    <TextField
      {...frame}
      hint={seconds === undefined ? (hint ?? 'Such as 1 h 30 m, or PT1H30M') : `${formatDuration(seconds)}${hint ? ` · ${hint}` : ''}`}
      value={text}
      error={isUnparsedInput(value) ? value.error : error}
      className="max-w-60"
      onChange={(event) => {
        const next = event.target.value
        const read = parseDuration(next)
        setText(next)
        onChange(next.trim() === '' ? undefined : read === undefined ? new UnparsedInput(next, invalidDuration) : formatIsoDuration(read))
      }}
    />
  )
}

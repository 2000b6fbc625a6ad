import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { durationSeconds, isoDuration } from './duration-text.ts'
import type { ValueFieldProps } from './field-frame.ts'
import { isUnfinished, Unfinished } from './field-kind.ts'

const fault = 'This is not a length of time, such as 1 h 30 m'

/** A length of time as people write it; the value is ISO 8601. */
export function DurationField({ value, onChange, error, hint, ...frame }: ValueFieldProps) {
  const [text, setText] = useState(() => (isUnfinished(value) ? value.text : typeof value === 'string' ? value : ''))
  const seconds = durationSeconds(text)
  return (
    <TextField
      {...frame}
      hint={seconds === undefined ? (hint ?? 'Such as 1 h 30 m, or PT1H30M') : `${formatDuration(seconds)}${hint ? ` · ${hint}` : ''}`}
      value={text}
      error={isUnfinished(value) ? value.fault : error}
      className="max-w-60"
      onChange={(event) => {
        const next = event.target.value
        const read = durationSeconds(next)
        setText(next)
        onChange(next.trim() === '' ? undefined : read === undefined ? new Unfinished(next, fault) : isoDuration(read))
      }}
    />
  )
}

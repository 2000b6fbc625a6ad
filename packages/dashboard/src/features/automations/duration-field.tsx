import { useState } from 'react'
import { Field } from '../../ui/field.tsx'

const units = [
  { value: 1, label: 'seconds' },
  { value: 60, label: 'minutes' },
  { value: 3600, label: 'hours' },
  { value: 86_400, label: 'days' },
] as const

const unitOf = (seconds: number): number => (seconds === 0 ? 60 : (units.findLast(({ value }) => seconds % value === 0)?.value ?? 1))

interface DurationFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly seconds: number
  onChange(seconds: number): void
}

/** Duration in the largest unit that gives a whole number. */
export function DurationField({ label, hint, error, seconds, onChange }: DurationFieldProps) {
  const [unit, setUnit] = useState(() => unitOf(seconds))
  // Values that are no multiple of the selected unit show in seconds.
  const shown = Number.isInteger(seconds / unit) || seconds === 0 ? unit : 1
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="flex gap-2">
          <input
            {...control}
            type="number"
            min={0}
            value={String(seconds / shown)}
            onChange={(event) => onChange(Math.max(0, Number(event.target.value)) * shown)}
            className="field w-24"
          />
          <select
            aria-label={`Unit of ${label}`}
            value={shown}
            onChange={(event) => {
              const next = Number(event.target.value)
              setUnit(next)
              onChange((seconds / shown) * next)
            }}
            className="field"
          >
            {units.map(({ value, label: unitLabel }) => (
              <option key={value} value={value}>
                {unitLabel}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}

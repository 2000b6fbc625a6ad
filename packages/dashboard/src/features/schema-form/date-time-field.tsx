import { useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import type { ValueFieldProps } from './field-props.ts'
import { browserZone, ZoneSelect } from './zone-select.tsx'
import { toLocalInput, toZonedIso } from './zoned-time.ts'

/** Date and time in a zone. The value has the UTC offset. */
export function DateTimeField({ value, onChange, ...frame }: ValueFieldProps) {
  const preferred = usePreferences().zone
  const [zone, setZone] = useState(preferred === 'local' ? browserZone() : preferred)
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return (
    <Field {...frame}>
      {(control) => (
        <div className="flex flex-wrap gap-2">
          <input
            {...control}
            type="datetime-local"
            step={1}
            value={Number.isNaN(at) ? '' : toLocalInput(at, zone)}
            onChange={(event) => onChange(toZonedIso(event.target.value, zone))}
            className="field min-w-0 flex-1 basis-52"
          />
          <ZoneSelect
            aria-label={`Time zone of ${frame.label}`}
            value={zone}
            onChange={(next) => {
              setZone(next)
              // A change of zone keeps the local time.
              if (!Number.isNaN(at)) onChange(toZonedIso(toLocalInput(at, zone), next))
            }}
            className="min-w-0 flex-1 basis-36"
          />
        </div>
      )}
    </Field>
  )
}

import type { SelectHTMLAttributes } from 'react'

const zones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

interface ZoneSelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  readonly value: string
  onChange(zone: string): void
}

/** Selects a time zone by IANA name. A zone that the browser does not know stays in the list. */
export function ZoneSelect({ value, onChange, className = '', ...rest }: ZoneSelectProps) {
  return (
    <select {...rest} value={value} onChange={(event) => onChange(event.target.value)} className={`field ${className}`}>
      {!zones.includes(value) && <option value={value}>{value}</option>}
      {zones.map((zone) => (
        <option key={zone} value={zone}>
          {zone}
        </option>
      ))}
    </select>
  )
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

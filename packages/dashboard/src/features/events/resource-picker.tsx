import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { eventCountsQuery } from '../../api/events.ts'
import { Picker } from '../../ui/picker.tsx'
import { kindLabel, parseResourceId } from './resource.ts'

interface ResourceFilterProps {
  readonly label: string
  readonly chosen: readonly string[]
  readonly occurred: { readonly since: string }
  onChange(chosen: string[]): void
}

const optionsMax = 60

/** Suggests resources of recent events, and the typed text as an id. */
export function ResourcePicker({ label, chosen, occurred, onChange }: ResourceFilterProps) {
  const [text, setText] = useState('')
  const query = useDeferredValue(text).trim().toLowerCase()
  const { data } = useQuery(eventCountsQuery('resource', { filter: { occurred } }))
  const found = data
    ?.filter(({ value, label: name }) => chosen.includes(value) || value.toLowerCase().includes(query) || name.toLowerCase().includes(query))
    .slice(0, optionsMax)
  const isWhole = /^[a-z][\w-]*\.\S+$/i.test(query) && !found?.some(({ value }) => value === query)
  return (
    <Picker
      label={label}
      options={
        found && [
          ...(isWhole ? [{ value: text.trim(), label: text.trim() }] : []),
          ...found.map(({ value, label: name }) => ({
            value,
            label: (
              <span className="flex min-w-0 flex-1 justify-between gap-2" title={value}>
                <span className="truncate">{name}</span>
                <span className="shrink-0 text-faint text-sm">{kindLabel(parseResourceId(value).kind)}</span>
              </span>
            ),
          })),
        ]
      }
      chosen={chosen}
      onChange={onChange}
      onSearch={setText}
    />
  )
}

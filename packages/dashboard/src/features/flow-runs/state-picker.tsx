import { stateChoices } from '@millrace/client/vocabulary/states.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { observedStatesQuery } from '../../api/observed-states.ts'
import { Picker } from '../../ui/picker.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { stateTypeOfChoice } from './runs-search.ts'

interface StatePickerProps {
  readonly chosen: readonly string[]
  onChange(chosen: string[]): void
}

/** The types of states, and names that runs gave to states. The names are requested by a search only, because the server reads its history for them. */
export function StatePicker({ chosen, onChange }: StatePickerProps) {
  const [text, setText] = useState('')
  const searched = useDeferredValue(text.trim())
  const observed = useQuery({ ...observedStatesQuery(searched), enabled: searched !== '' })
  const found = searched === '' ? [] : (observed.data ?? [])
  const types = new Map<string, StateType>(found.map(({ state_name, state_type }) => [state_name, state_type as StateType]))
  const names = [...new Set([...stateChoices, ...chosen, ...types.keys()])].filter((name) => name.toLowerCase().includes(searched.toLowerCase()))
  return (
    <Picker
      label="State"
      options={names.map((value) => ({ value, label: <StateBadge type={types.get(value) ?? stateTypeOfChoice(value)} name={value} /> }))}
      chosen={chosen}
      onChange={onChange}
      onSearch={setText}
    />
  )
}

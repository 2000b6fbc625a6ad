import { type ReactNode, useId, useState } from 'react'
import { classNames } from './classes.ts'
import { FilterPopover } from './filter-controls.tsx'
import { useOptimisticValue } from './use-optimistic-value.ts'

interface Option {
  readonly value: string
  readonly label: ReactNode
}

interface PickerProps {
  readonly label: string
  readonly options: readonly Option[] | undefined
  readonly chosen: readonly string[]
  onChange(chosen: string[]): void
  /** Set if the server filters the options; otherwise they are filtered here. */
  onSearch?(text: string): void
}

/** Filter button with a searchable checklist. */
export function Picker({ label, options, chosen: initial, onChange, onSearch }: PickerProps) {
  const [chosen, choose] = useOptimisticValue<string[]>([...initial], onChange)
  const [text, setText] = useState('')
  const id = useId()
  const shown = onSearch ? options : options?.filter(({ value }) => value.toLowerCase().includes(text.toLowerCase()))
  const toggle = (value: string) => choose((present) => (present.includes(value) ? present.filter((each) => each !== value) : [...present, value]))
  const search = (next: string) => {
    setText(next)
    onSearch?.(next)
  }
  return (
    <FilterPopover label={label} count={chosen.length} onOpenChange={() => search('')} className="flex max-h-96 w-64 flex-col">
      {(onSearch || (options?.length ?? 0) > 8) && (
        <input
          aria-label={`Search ${label}`}
          placeholder="Search…"
          value={text}
          onChange={(event) => search(event.target.value)}
          className="h-9 border-b border-line bg-transparent px-3 outline-none"
        />
      )}
      <div className="overflow-y-auto p-1">
        {shown?.map((option) => (
          <label
            key={option.value}
            htmlFor={`${id}-${option.value}`}
            className={classNames('flex min-h-8 items-center gap-2 rounded-sm px-2 hover:bg-hover')}
          >
            <input
              id={`${id}-${option.value}`}
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={() => toggle(option.value)}
              className="check"
            />
            <span className="flex min-w-0 items-center gap-1.5 truncate">{option.label}</span>
          </label>
        ))}
        {shown?.length === 0 && <p className="px-2 py-3 text-center text-faint">No results</p>}
      </div>
    </FilterPopover>
  )
}

import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterPopover } from '../../ui/filter-controls.tsx'

/** Filters event names by prefix, such as all events of an integration. */
export function EventPrefixPicker({ onAdd }: { onAdd(prefix: string): void }) {
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const add = (event: FormEvent) => {
    event.preventDefault()
    const prefix = text.trim().replace(/\*+$/, '')
    if (prefix !== '') onAdd(`${prefix}*`)
    setText('')
    setOpen(false)
  }
  return (
    <FilterPopover label="Prefix" open={open} onOpenChange={setOpen} className="w-72 p-2">
      <form onSubmit={add} className="flex gap-2">
        <input
          aria-label="Event name prefix"
          placeholder="prefect.flow-run."
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field min-w-0 flex-1 font-mono text-sm"
        />
        <Button type="submit" icon="plus" aria-label="Add prefix" />
      </form>
    </FilterPopover>
  )
}

import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterPopover } from '../../ui/filter-controls.tsx'
import { useOptimisticValue } from '../../ui/use-optimistic-value.ts'

/** Tags are entered as text, because the API does not list them. A run must have all of them. */
export function TagPicker({ chosen: current, onChange }: { readonly chosen: readonly string[]; onChange(chosen: string[]): void }) {
  const [text, setText] = useState('')
  const [chosen, choose] = useOptimisticValue<string[]>([...current], onChange)
  const add = (event: FormEvent) => {
    event.preventDefault()
    const tag = text.trim()
    if (tag) choose((present) => (present.includes(tag) ? present : [...present, tag]))
    setText('')
  }
  return (
    <FilterPopover label="Tag" count={chosen.length} className="w-64 p-2">
      <form onSubmit={add} className="flex gap-2">
        <input aria-label="Tag" placeholder="Tag" value={text} onChange={(event) => setText(event.target.value)} className="field min-w-0 flex-1" />
        <Button type="submit" icon="plus" aria-label="Add tag" />
      </form>
    </FilterPopover>
  )
}

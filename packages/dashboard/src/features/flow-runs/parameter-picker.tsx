import { type FormEvent, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterPopover } from '../../ui/filter-controls.tsx'
import { useOptimisticValue } from '../../ui/use-optimistic-value.ts'

/** Name and value are entered as text, because the API does not list parameters. A run must match all of them. */
export function ParameterPicker({ chosen: current, onChange }: { readonly chosen: readonly string[]; onChange(chosen: string[]): void }) {
  const hint = useId()
  const [chosen, choose] = useOptimisticValue<string[]>([...current], onChange)
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const formData = new FormData(form)
    const name = String(formData.get('name')).trim()
    if (!name) return
    const criterion = `${name}=${String(formData.get('value')).trim()}`
    choose((present) => [...present.filter((each) => !each.startsWith(`${name}=`)), criterion])
    form.reset()
    form.querySelector('input')?.focus()
  }
  return (
    <FilterPopover label="Parameter" count={chosen.length} className="w-80 p-2">
      <form onSubmit={add} className="flex items-center gap-2">
        <input name="name" aria-label="Parameter name" aria-describedby={hint} placeholder="region" className="field min-w-0 flex-1" />
        <span aria-hidden="true" className="text-faint">
          =
        </span>
        <input name="value" aria-label="Parameter value" aria-describedby={hint} placeholder="eu" className="field min-w-0 flex-1" />
        <Button type="submit" icon="plus" aria-label="Add parameter" />
      </form>
      <p id={hint} className="px-1 pt-2 text-faint text-sm">
        Use dots for nested values. Numbers match numbers; quote a value to match text.
      </p>
    </FilterPopover>
  )
}

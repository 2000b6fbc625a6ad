import { Popover } from 'radix-ui'
import { type FormEvent, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Which parameters there are nobody lists: name and value are typed. A run must have all of them. */
export function ParameterPicker({ chosen, onChange }: { readonly chosen: readonly string[]; onChange(chosen: string[]): void }) {
  const hint = useId()
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const given = new FormData(form)
    const name = String(given.get('name')).trim()
    if (!name) return
    const others = chosen.filter((word) => !word.startsWith(`${name}=`))
    onChange([...others, `${name}=${String(given.get('value')).trim()}`])
    form.reset()
    form.querySelector('input')?.focus()
  }
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button className={chosen.length > 0 ? 'border-accent' : 'text-soft'}>
          Parameter
          {chosen.length > 0 && <span className="rounded-full bg-accent px-1.5 text-on-accent text-xs leading-4">{chosen.length}</span>}
          <Icon name="down" size={12} className="text-faint" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Parameter"
          className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-rise rounded-md bg-surface p-2 shadow-pop"
        >
          <form onSubmit={add} className="flex items-center gap-2">
            <input name="name" aria-label="Parameter's name" aria-describedby={hint} placeholder="region" className="field min-w-0 flex-1" />
            <span aria-hidden="true" className="text-faint">
              =
            </span>
            <input name="value" aria-label="Parameter's value" aria-describedby={hint} placeholder="eu" className="field min-w-0 flex-1" />
            <Button type="submit" icon="plus" aria-label="Add the parameter" />
          </form>
          <p id={hint} className="px-1 pt-2 text-faint text-sm">
            A dot leads into an object. A number is a number; in quotes it is a text.
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

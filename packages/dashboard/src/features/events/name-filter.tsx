import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Names by their beginning: those of an integration, or of all runs. */
export function NameFilter({ onAdd }: { onAdd(prefix: string): void }) {
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
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button className="text-soft">
          Begins with
          <Icon name="down" size={12} className="text-faint" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Begins with"
          className="z-50 w-72 animate-rise rounded-md bg-surface p-2 shadow-pop"
        >
          <form onSubmit={add} className="flex gap-2">
            <input
              aria-label="The beginning of a name"
              placeholder="prefect.flow-run."
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="field min-w-0 flex-1 font-mono text-sm"
            />
            <Button type="submit" icon="plus" aria-label="Add the beginning" />
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Tags are free words and nobody lists them: they are typed. A run must have all of them. */
export function TagPicker({ chosen, onChange }: { readonly chosen: readonly string[]; onChange(chosen: string[]): void }) {
  const [text, setText] = useState('')
  const add = (event: FormEvent) => {
    event.preventDefault()
    const tag = text.trim()
    if (tag && !chosen.includes(tag)) onChange([...chosen, tag])
    setText('')
  }
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button className={chosen.length > 0 ? 'border-accent' : 'text-soft'}>
          Tag
          {chosen.length > 0 && <span className="rounded-full bg-accent px-1.5 text-on-accent text-xs leading-4">{chosen.length}</span>}
          <Icon name="down" size={12} className="text-faint" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Tag"
          className="z-50 w-64 animate-rise rounded-md bg-surface p-2 shadow-pop"
        >
          <form onSubmit={add} className="flex gap-2">
            <input
              aria-label="A tag"
              placeholder="A tag"
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="field min-w-0 flex-1"
            />
            <Button type="submit" icon="plus" aria-label="Add the tag" />
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

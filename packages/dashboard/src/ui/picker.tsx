import { Popover } from 'radix-ui'
import { type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icon.tsx'

export interface Option {
  readonly value: string
  readonly label: ReactNode
}

interface PickerProps {
  readonly label: string
  readonly options: readonly Option[] | undefined
  readonly chosen: readonly string[]
  onChange(chosen: string[]): void
  /** Where there may be more than fit: what is typed goes to the one who brings the options. */
  onSearch?(text: string): void
}

/** A button that opens a list to tick from, with a field to narrow it. */
export function Picker({ label, options, chosen, onChange, onSearch }: PickerProps) {
  const [text, setText] = useState('')
  const id = useId()
  const shown = onSearch ? options : options?.filter(({ value }) => value.toLowerCase().includes(text.toLowerCase()))
  const toggle = (value: string) => onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
  const search = (next: string) => {
    setText(next)
    onSearch?.(next)
  }
  return (
    <Popover.Root onOpenChange={() => search('')}>
      <Popover.Trigger asChild>
        <Button look="plain" className={chosen.length > 0 ? 'border-accent' : 'text-soft'}>
          {label}
          {chosen.length > 0 && <span className="rounded-full bg-accent px-1.5 text-on-accent text-xs leading-4">{chosen.length}</span>}
          <Icon name="down" size={12} className="text-faint" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-50 flex max-h-96 w-64 animate-rise flex-col rounded-md bg-surface shadow-pop"
        >
          {(onSearch || (options?.length ?? 0) > 8) && (
            <input
              aria-label={`Narrow ${label}`}
              placeholder="Narrow…"
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
                className={classes('flex min-h-8 items-center gap-2 rounded-sm px-2 hover:bg-hover')}
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
            {shown?.length === 0 && <p className="px-2 py-3 text-center text-faint">Nothing of that name</p>}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

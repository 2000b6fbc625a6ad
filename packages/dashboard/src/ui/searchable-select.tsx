import { Popover } from 'radix-ui'
import { useState } from 'react'
import { classNames } from './classes.ts'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'

export interface SelectOption {
  readonly value: string
  readonly label: string
  readonly note?: string | undefined
}

interface SearchableSelectProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** Undefined while loading. */
  readonly options: readonly SelectOption[] | undefined
  readonly value: string | null | undefined
  /** Label of the selected option, which need not be among the options. */
  readonly valueLabel?: string | undefined
  onChange(value: string): void
  /** Set if the server filters the options; otherwise they are filtered here. */
  onSearch?(text: string): void
  /** Shown without options. */
  readonly emptyText?: string
}

/** Select with a search field. */
export function SearchableSelect({
  label,
  hint,
  error,
  options: choices,
  value: chosen,
  valueLabel: chosenLabel,
  onChange: onChoose,
  onSearch,
  emptyText: nothing = 'No results',
}: SearchableSelectProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const search = (next: string) => {
    setText(next)
    onSearch?.(next)
  }
  const shown = onSearch ? choices : choices?.filter((choice) => choice.label.toLowerCase().includes(text.toLowerCase()))
  const name = chosenLabel ?? choices?.find(({ value }) => value === chosen)?.label ?? chosen
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Popover.Root
          open={open}
          onOpenChange={(next) => {
            setOpen(next)
            search('')
          }}
        >
          <Popover.Trigger asChild>
            <button
              type="button"
              {...control}
              aria-label={`${label}: ${name ?? 'Choose…'}`}
              className={classNames('field flex w-full items-center gap-2 text-left', error && 'border-danger')}
            >
              <span className={classNames('min-w-0 flex-1 truncate', !name && 'text-faint')}>{name ?? 'Choose…'}</span>
              <Icon name="down" size={12} className="text-faint" />
            </button>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content
              align="start"
              sideOffset={4}
              collisionPadding={8}
              aria-label={label}
              className="z-50 flex max-h-80 w-(--radix-popover-trigger-width) min-w-64 animate-rise flex-col rounded-md bg-surface shadow-pop"
            >
              <input
                aria-label={`Search ${label}`}
                placeholder="Search…"
                value={text}
                onChange={(event) => search(event.target.value)}
                className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none"
              />
              <div className="overflow-y-auto p-1">
                {shown?.map((choice) => (
                  <button
                    key={choice.value}
                    type="button"
                    aria-pressed={choice.value === chosen}
                    onClick={() => {
                      onChoose(choice.value)
                      setOpen(false)
                    }}
                    className="flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover"
                  >
                    <span className="min-w-0 flex-1 truncate">{choice.label}</span>
                    {choice.note && <span className="shrink-0 text-faint text-sm">{choice.note}</span>}
                    {choice.value === chosen && <Icon name="check" size={14} className="text-accent" />}
                  </button>
                ))}
                {shown?.length === 0 && <p className="px-2 py-3 text-center text-faint">{nothing}</p>}
              </div>
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  )
}

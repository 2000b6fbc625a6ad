import { useNavigate } from '@tanstack/react-router'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../../ui/classes.ts'
import { Icon } from '../../ui/icon.tsx'
import type { PaletteItem } from './palette-item.ts'
import { usePaletteItems } from './use-palette-items.ts'

/** Goes anywhere: pages, and flows, deployments, runs and pools by name. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = usePaletteItems(text)
  const navigate = useNavigate()
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const index = Math.min(chosen, found.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [])

  const go = (choice: PaletteItem | undefined) => {
    if (!choice) return
    onClose()
    choice.onSelect?.()
    if (choice.link) void navigate(choice.link)
  }
  const steer = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      const next = (index + move + found.length) % Math.max(found.length, 1)
      setChosen(next)
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(found[index])
    }
  }

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-paper/70" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg bg-surface shadow-pop focus:outline-none"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <div className="flex items-center gap-2.5 border-b border-line px-4">
            <Icon name="search" className="text-faint" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={id}
              aria-label="Search pages, actions, flows, deployments, runs and pools"
              aria-activedescendant={found[index] && `${id}-${index}`}
              placeholder="Search pages, flows, deployments, runs…"
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setChosen(0)
              }}
              onKeyDown={steer}
              className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
            />
          </div>
          <div ref={list} id={id} role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-1.5">
            {found.map((each, at) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field, which names the chosen one
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the text field's
              <div
                key={`${each.kind} ${each.id}`}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === index}
                onClick={() => go(each)}
                onPointerMove={() => setChosen(at)}
                className={classNames('flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5', at === index && 'bg-wash')}
              >
                <Icon name={each.icon} className={at === index ? 'text-accent' : 'text-faint'} />
                <span className="min-w-0 flex-1 truncate">{each.label}</span>
                <span className="text-faint text-sm">{each.kind}</span>
              </div>
            ))}
            {found.length === 0 && <p className="px-3 py-6 text-center text-soft">No results</p>}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

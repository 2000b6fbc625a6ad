import { useNavigate } from '@tanstack/react-router'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../../ui/classes.ts'
import { Icon } from '../../ui/icon.tsx'
import type { PaletteItem } from './palette-actions.ts'
import { usePaletteItems } from './use-palette-items.ts'

/** Search for pages, actions, flows, deployments, runs and pools. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const items = usePaletteItems(text)
  const navigate = useNavigate()
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const index = Math.min(chosen, items.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [])

  const go = (choice: PaletteItem | undefined) => {
    if (!choice) return
    onClose()
    choice.onSelect?.()
    if (choice.link) void navigate(choice.link)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      const next = (index + move + items.length) % Math.max(items.length, 1)
      setChosen(next)
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(items[index])
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
              aria-activedescendant={items[index] && `${id}-${index}`}
              placeholder="Search pages, flows, deployments, runs…"
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setChosen(0)
              }}
              onKeyDown={onKeyDown}
              className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
            />
          </div>
          <div ref={list} id={id} role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-1.5">
            {items.map((item, position) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus and names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
              <div
                key={`${item.kind} ${item.id}`}
                id={`${id}-${position}`}
                role="option"
                aria-selected={position === index}
                onClick={() => go(item)}
                onPointerMove={() => setChosen(position)}
                className={classNames('flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5', position === index && 'bg-wash')}
              >
                <Icon name={item.icon} className={position === index ? 'text-accent' : 'text-faint'} />
                <span className="min-w-0 flex-1 truncate">{item.label}</span>
                <span className="text-faint text-sm">{item.kind}</span>
              </div>
            ))}
            {items.length === 0 && <p className="px-3 py-6 text-center text-soft">No results</p>}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

interface Tab {
  readonly value: string
  readonly label: string
  /** Number of items, if known. */
  readonly count?: number | undefined
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly value: string
  onChange(value: string): void
  /** Content of the selected tab. */
  readonly children: ReactNode
}

export function Tabs({ label, tabs, value, onChange, children }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  // On a phone, the selected tab may be outside the visible part of the row. Scrolls the row, not the page.
  useEffect(() => {
    const row = list.current
    const chosen = row?.querySelector<HTMLElement>(`[data-tab="${value}"]`)
    if (!row || !chosen) return
    const end = chosen.offsetLeft + chosen.offsetWidth
    if (chosen.offsetLeft < row.scrollLeft) row.scrollLeft = chosen.offsetLeft
    else if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <Radix.List ref={list} aria-label={label} className="relative flex shrink-0 gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            data-tab={tab.value}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 font-medium whitespace-nowrap text-soft hover:text-ink focus-visible:outline-offset-[-3px] data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="rounded-full bg-sunken px-1.5 text-soft text-xs leading-4.5">{tab.count.toLocaleString()}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} className="flex min-h-0 flex-1 flex-col overflow-y-auto pt-4 focus-visible:outline-offset-4" tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}

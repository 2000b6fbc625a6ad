import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface ChipProps {
  /** Filtered field. `children` is the value. */
  readonly name: string
  readonly children: ReactNode
  onRemove(): void
}

/** Active filter with a button to remove it. */
export function FilterChip({ name, children, onRemove }: ChipProps) {
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded-full bg-wash pl-2.5 text-sm">
      <span className="text-soft">{name}</span>
      <span className="ml-1.5 flex min-w-0 items-center gap-2 truncate font-medium">{children}</span>
      <button
        type="button"
        aria-label={`Remove filter ${name}`}
        onClick={onRemove}
        className="mx-1 grid size-5 shrink-0 place-items-center rounded-full text-soft hover:bg-surface hover:text-ink"
      >
        <Icon name="cross" size={11} />
      </button>
    </span>
  )
}

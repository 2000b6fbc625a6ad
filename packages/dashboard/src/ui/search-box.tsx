import { useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { useShortcut } from './shortcuts.ts'
import { typingPauseSeconds, useOptimisticValue } from './use-optimistic-value.ts'

interface SearchBoxProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  /** Called when typing pauses. */
  onChange(value: string): void
  readonly icon?: IconName
  /** Shortcut that focuses the box; only the first box of a page has one. */
  readonly shortcut?: string
  readonly className?: string
}

export function SearchBox({ label, placeholder, value, onChange, icon = 'search', shortcut, className = 'sm:max-w-56' }: SearchBoxProps) {
  const [text, setText] = useOptimisticValue(value, onChange, typingPauseSeconds)
  const field = useRef<HTMLInputElement>(null)
  useShortcut(shortcut, label, () => field.current?.focus())
  return (
    <label className={`field flex h-8 min-w-40 flex-1 basis-40 items-center gap-2 py-0 ${className}`}>
      <Icon name={icon} size={14} className="text-faint" />
      <input
        ref={field}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="min-w-0 flex-1 bg-transparent outline-none"
      />
    </label>
  )
}

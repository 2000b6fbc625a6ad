import { useEffect, useRef, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { useShortcut } from './shortcuts.ts'

interface SearchBoxProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  /** When the typing pauses. */
  onChange(value: string): void
  readonly icon?: IconName
  /** The key that leads here, for the first of a page. */
  readonly shortcut?: string
  readonly className?: string
}

const typingSeconds = 0.3

/** A text that narrows what is shown. */
export function SearchBox({ label, placeholder, value, onChange, icon = 'search', shortcut, className = 'sm:max-w-56' }: SearchBoxProps) {
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const change = useRef(onChange)
  const sent = useRef(value)
  useEffect(() => {
    change.current = onChange
  })
  useShortcut(shortcut ?? '', label, () => field.current?.focus())
  // Only what came from elsewhere is taken over: our own text comes back late, when the next letters may stand here already.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = window.setTimeout(() => {
      sent.current = text
      change.current(text)
    }, typingSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
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

import { useEffect, useRef } from 'react'

/** Keyboard shortcut. Active, and listed in the help, while the component that declares it is mounted. */
export interface Shortcut {
  /** `g r` is a sequence; `mod+k` is a combination (Ctrl, or Command on macOS). */
  readonly keys: string
  readonly description: string
  run(): void
}

const activeShortcuts = new Set<{ current: Shortcut }>()
const sequenceSeconds = 1.2
let pendingKey: { readonly key: string; readonly until: number } | undefined

export const listShortcuts = (): Shortcut[] => [...activeShortcuts].map(({ current }) => current)

/** Does nothing without `keys`. */
export function useShortcut(keys: string | undefined, does: string, act: () => void): void {
  const shortcut = useRef<Shortcut>({ keys: keys ?? '', description: does, run: act })
  const isOne = keys !== undefined
  useEffect(() => {
    shortcut.current = { keys: keys ?? '', description: does, run: act }
  })
  useEffect(() => {
    if (!isOne) return
    activeShortcuts.add(shortcut)
    return () => void activeShortcuts.delete(shortcut)
  }, [isOne])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName)) &&
  !target.matches('[type=checkbox]')

/** Keys of an event in the notation of shortcuts. */
const formatKeys = (event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>): string =>
  `${event.ctrlKey || event.metaKey ? 'mod+' : ''}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return
  const key = formatKeys(event)
  if (!key.startsWith('mod+') && (isTyping(event.target) || document.querySelector('[role=dialog]'))) return
  const spelling = pendingKey && event.timeStamp < pendingKey.until ? [`${pendingKey.key} ${key}`, key] : [key]
  const found = spelling.map((keys) => listShortcuts().findLast((each) => each.keys === keys)).find(Boolean)
  pendingKey = found ? undefined : { key, until: event.timeStamp + sequenceSeconds * 1000 }
  if (!found) return
  event.preventDefault()
  found.run()
}

/** Call once at startup. */
export const listenForShortcuts = (): void => addEventListener('keydown', handleKeyDown)

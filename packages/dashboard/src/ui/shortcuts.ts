import { useEffect, useRef } from 'react'

/** What keys do. A shortcut lives as long as the component that declares it; the help lists those that live. */
export interface Shortcut {
  /** `g r` is one key after the other, `mod+k` both at once (Ctrl, or Command on a Mac). */
  readonly keys: string
  readonly description: string
  run(): void
}

const activeShortcuts = new Set<{ current: Shortcut }>()
const sequenceSeconds = 1.2
let pendingKey: { readonly key: string; readonly until: number } | undefined

export const listShortcuts = (): Shortcut[] => [...activeShortcuts].map(({ current }) => current)

/** Without keys it is none. */
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

/** The keys of an event as shortcuts spell them. */
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

/** Once, when the page starts. */
export const listenForShortcuts = (): void => addEventListener('keydown', handleKeyDown)

import { useSyncExternalStore } from 'react'

/** What a person chose about how things are shown. Kept in this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  /** An IANA name, or `local` for wherever the browser is. */
  readonly zone: string
  readonly hours: 'auto' | '12' | '24'
  /** Rows of a paged list. */
  readonly page_size: number
  /** What the home page and the events look back on, in hours. */
  readonly span_hours: number
}

const storageKey = 'millrace.preferences'
const defaults: Preferences = { theme: 'system', zone: 'local', hours: 'auto', page_size: 50, span_hours: 24 }
const listeners = new Set<() => void>()
let current: Preferences = readStored()

function readStored(): Preferences {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) }
  } catch {
    // Storage may be shut off, or hold what another version wrote.
    return defaults
  }
}

export const getPreferences = (): Preferences => current

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(storageKey, JSON.stringify(current))
  } catch {
    // The choice still holds until the page is left.
  }
  notifyListeners()
}

function notifyListeners(): void {
  applyTheme()
  for (const listener of listeners) listener()
}

/** The attribute that the styles look at; `public/theme.js` sets it before the first paint. */
function applyTheme(): void {
  const dark = current.theme === 'dark' || (current.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}

/** Follows the system and other tabs for as long as the page lives. */
export function watchPreferences(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)
  addEventListener('storage', (event) => {
    if (event.key !== storageKey) return
    current = readStored()
    notifyListeners()
  })
  applyTheme()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, getPreferences)

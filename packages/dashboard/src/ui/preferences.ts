import { useSyncExternalStore } from 'react'

/** Display preferences, stored in this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  /** IANA time zone, or `local` for the zone of the browser. */
  readonly zone: string
  readonly hours: 'auto' | '12' | '24'
  /** Rows per page. */
  readonly page_size: number
  /** Time range of the home page and the events, in hours. */
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
    // Storage may be disabled, or hold the format of another version.
    return defaults
  }
}

export const getPreferences = (): Preferences => current

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(storageKey, JSON.stringify(current))
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  notifyListeners()
}

function notifyListeners(): void {
  applyTheme()
  for (const listener of listeners) listener()
}

/** Styles use this attribute; `public/theme.js` sets it before the first paint. */
function applyTheme(): void {
  const dark = current.theme === 'dark' || (current.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}

/** Follows the system theme and changes in other tabs. */
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

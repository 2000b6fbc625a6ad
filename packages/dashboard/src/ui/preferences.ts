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

const key = 'millrace.preferences'
const defaults: Preferences = { theme: 'system', zone: 'local', hours: 'auto', page_size: 50, span_hours: 24 }
const listeners = new Set<() => void>()
let current: Preferences = read()

function read(): Preferences {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>) }
  } catch {
    // Storage may be shut off, or hold what another version wrote.
    return defaults
  }
}

export const preferences = (): Preferences => current

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(key, JSON.stringify(current))
  } catch {
    // The choice still holds until the page is left.
  }
  tell()
}

function tell(): void {
  showTheme()
  for (const listener of listeners) listener()
}

/** The attribute that the styles look at; `public/theme.js` sets it before the first paint. */
function showTheme(): void {
  const dark = current.theme === 'dark' || (current.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}

/** Follows the system and other tabs for as long as the page lives. */
export function watchPreferences(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showTheme)
  addEventListener('storage', (event) => {
    if (event.key !== key) return
    current = read()
    tell()
  })
  showTheme()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences)

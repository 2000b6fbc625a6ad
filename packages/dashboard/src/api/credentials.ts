import { useSyncExternalStore } from 'react'

/** `user:password`, kept for this tab alone. */
const key = 'millrace.credentials'
const listeners = new Set<() => void>()
let refused = false

export function credentials(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

export function keepCredentials(pair: string): void {
  try {
    sessionStorage.setItem(key, pair)
  } catch {
    // Without storage the server will ask again, which is all that can be done.
  }
  refused = false
  tell()
}

/** The next call is refused, and the form asks again. */
export function forgetCredentials(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // There is nothing to forget.
  }
  credentialsRefused()
}

/** The server asked for credentials, or did not accept ours: a form has to ask the person. */
export function credentialsRefused(): void {
  if (refused) return
  refused = true
  tell()
}

const tell = () => {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useCredentials = (): string | null => useSyncExternalStore(subscribe, credentials)

export const useCredentialsRefused = (): boolean => useSyncExternalStore(subscribe, () => refused)

/** Basic is in base64 of UTF-8, which `btoa` alone does not do. */
export const basic = (pair: string): string => `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(pair)))}`

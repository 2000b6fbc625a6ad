import { useSyncExternalStore } from 'react'

/** `user:password`, kept for this tab alone. */
const storageKey = 'millrace.credentials'
const listeners = new Set<() => void>()
let signInRequired = false

export function readCredentials(): string | null {
  try {
    return sessionStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export function storeCredentials(pair: string): void {
  try {
    sessionStorage.setItem(storageKey, pair)
  } catch {
    // Without storage the server will ask again, which is all that can be done.
  }
  signInRequired = false
  notifyListeners()
}

/** The next call is refused, and the form asks again. */
export function clearCredentials(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // There is nothing to forget.
  }
  requireSignIn()
}

/** The server asked for credentials, or did not accept ours: a form has to ask the person. */
export function requireSignIn(): void {
  if (signInRequired) return
  signInRequired = true
  notifyListeners()
}

const notifyListeners = () => {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useCredentials = (): string | null => useSyncExternalStore(subscribe, readCredentials)

export const useSignInRequired = (): boolean => useSyncExternalStore(subscribe, () => signInRequired)

/** Basic is in base64 of UTF-8, which `btoa` alone does not do. */
export const basicAuthHeader = (pair: string): string => `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(pair)))}`

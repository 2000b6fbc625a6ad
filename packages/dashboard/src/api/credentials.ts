import { useSyncExternalStore } from 'react'

/** `user:password`, stored for this tab only. */
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
    // Without storage, the sign-in form appears again.
  }
  signInRequired = false
  notifyListeners()
}

/** The next call gets a 401 and the sign-in form appears. */
export function clearCredentials(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage, nothing is stored.
  }
  requireSignIn()
}

/** Shows the sign-in form: the server requires credentials or rejected the stored ones. */
export function requireSignIn(): void {
  if (signInRequired) return
  signInRequired = true
  notifyListeners()
}

const notifyListeners = () => {
  for (const listener of listeners) listener()
}

/** Calls back when a user signs in, or has to. Returns a function that stops it. */
export function onCredentialsChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useCredentials = (): string | null => useSyncExternalStore(onCredentialsChange, readCredentials)

export const useSignInRequired = (): boolean => useSyncExternalStore(onCredentialsChange, () => signInRequired)

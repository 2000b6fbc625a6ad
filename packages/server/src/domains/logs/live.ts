import { perParts } from '../../storage/per-parts.ts'
import type { LogRow } from './store.ts'

export interface LiveLogs {
  /** Shows logs to whoever listens; called once they are kept. */
  publish(logs: readonly LogRow[]): void
  /** Calls back for what is written in this process from now on; returns how to stop that. */
  listen(listener: (logs: readonly LogRow[]) => void): () => void
}

/** Logs as they are written. They are handed on directly: unlike events they have no place in an order that a reader could go on from. */
export const liveLogs = perParts((): LiveLogs => {
  const listeners = new Set<(logs: readonly LogRow[]) => void>()
  return {
    publish(logs) {
      for (const listener of listeners) listener(logs)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
})

/** Wakes whoever waits in this process. It carries no data: what happened is in the database, and a lost wake-up costs a moment. */
export interface Bus {
  wake(topic: string): void
  /** Calls back after each wake-up; returns how to stop that. */
  on(topic: string, listener: () => void): () => void
}

export function createBus(): Bus {
  const listeners = new Map<string, Set<() => void>>()
  return {
    wake(topic) {
      for (const listener of listeners.get(topic) ?? []) listener()
    },
    on(topic, listener) {
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(topic)
      }
    },
  }
}

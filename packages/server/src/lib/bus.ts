/** Who wakes: a commit of this server, one of another server, or nobody in particular, because wake-ups of others may have been missed. */
export interface BusNotification {
  readonly from: 'here' | 'elsewhere' | 'unknown'
  /** What another server says of where to look; empty unless it has something to say. */
  readonly hint: string
}

/** Wakes whoever waits in this process. It carries no data: what happened is in the database, and a lost wake-up costs a moment. */
export interface Bus {
  /** A commit of this server touched the topic. */
  notify(topic: string): void
  /** A commit of another server did. */
  notifyFromRemote(topic: string, note: string): void
  /** Others could not be heard for a while: everybody looks for themselves. */
  notifyAll(): void
  /** Calls back after each wake-up; returns how to stop that. */
  on(topic: string, listener: (notification: BusNotification) => void): () => void
}

const localNotification: BusNotification = { from: 'here', hint: '' }
const unknownNotification: BusNotification = { from: 'unknown', hint: '' }

export function createBus(): Bus {
  const listeners = new Map<string, Set<(notification: BusNotification) => void>>()
  const tell = (topic: string, notification: BusNotification): void => {
    for (const listener of listeners.get(topic) ?? []) listener(notification)
  }
  return {
    notify: (topic) => tell(topic, localNotification),
    notifyFromRemote: (topic, note) => tell(topic, { from: 'elsewhere', hint: note }),
    notifyAll() {
      for (const topic of [...listeners.keys()]) tell(topic, unknownNotification)
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

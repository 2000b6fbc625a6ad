/** Who wakes: a commit of this server, one of another server, or nobody in particular, because wake-ups of others may have been missed. */
export interface News {
  readonly from: 'here' | 'elsewhere' | 'unknown'
  /** What another server says of where to look; empty unless it has something to say. */
  readonly note: string
}

/** Wakes whoever waits in this process. It carries no data: what happened is in the database, and a lost wake-up costs a moment. */
export interface Bus {
  /** A commit of this server touched the topic. */
  wake(topic: string): void
  /** A commit of another server did. */
  hear(topic: string, note: string): void
  /** Others could not be heard for a while: everybody looks for themselves. */
  wakeAll(): void
  /** Calls back after each wake-up; returns how to stop that. */
  on(topic: string, listener: (news: News) => void): () => void
}

const here: News = { from: 'here', note: '' }
const unknown: News = { from: 'unknown', note: '' }

export function createBus(): Bus {
  const listeners = new Map<string, Set<(news: News) => void>>()
  const tell = (topic: string, news: News): void => {
    for (const listener of listeners.get(topic) ?? []) listener(news)
  }
  return {
    wake: (topic) => tell(topic, here),
    hear: (topic, note) => tell(topic, { from: 'elsewhere', note }),
    wakeAll() {
      for (const topic of [...listeners.keys()]) tell(topic, unknown)
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

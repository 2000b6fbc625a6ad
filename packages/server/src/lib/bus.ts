/** The origin of a notification: a commit of this server, of another server, or unknown after notifications may have been lost. */
export interface BusNotification {
  readonly from: 'local' | 'remote' | 'unknown'
  /** What another server says about the change, such as a range of times; empty without a hint. */
  readonly hint: string
}

/** Notifies listeners in this process. It carries no data: the change is in the database, and a lost notification costs a short delay. */
export interface Bus {
  /** Reports a commit of this server. */
  notify(topic: string): void
  /** Reports a commit of another server. */
  notifyFromRemote(topic: string, hint: string): void
  /** Notifies all listeners after notifications of other servers may have been lost. */
  notifyAll(): void
  /** Calls the listener for each notification. Returns a function that removes it. */
  on(topic: string, listener: (notification: BusNotification) => void): () => void
}

const localNotification: BusNotification = { from: 'local', hint: '' }
const unknownNotification: BusNotification = { from: 'unknown', hint: '' }

export function createBus(): Bus {
  const listeners = new Map<string, Set<(notification: BusNotification) => void>>()
  const publish = (topic: string, notification: BusNotification): void => {
    for (const listener of listeners.get(topic) ?? []) listener(notification)
  }
  return {
    notify: (topic) => publish(topic, localNotification),
    notifyFromRemote: (topic, hint) => publish(topic, { from: 'remote', hint }),
    notifyAll() {
      for (const topic of [...listeners.keys()]) publish(topic, unknownNotification)
    },
    on(topic, listener) {
      const ofTopic = listeners.get(topic) ?? new Set()
      listeners.set(topic, ofTopic.add(listener))
      return () => {
        ofTopic.delete(listener)
        if (ofTopic.size === 0) listeners.delete(topic)
      }
    },
  }
}

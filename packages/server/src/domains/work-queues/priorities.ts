/** Priorities are unique within a pool; 1 is served first. */
export interface QueuePriority {
  readonly id: string
  readonly priority: number
}

/** The lowest unused priority. */
export function lowestFreePriority(queues: readonly QueuePriority[]): number {
  const taken = new Set(queues.map(({ priority }) => priority))
  let free = 1
  while (taken.has(free)) free += 1
  return free
}

/**
 * Inserts a queue at its priority: the queue there moves down by one, and so on until the first gap. Returns the moved queues only.
 */
export function shiftPriorities(queues: readonly QueuePriority[], inserted: QueuePriority): QueuePriority[] {
  const others = queues.filter(({ id }) => id !== inserted.id).sort((a, b) => a.priority - b.priority)
  const index = others.findIndex(({ priority }) => priority >= inserted.priority)
  const order = index < 0 ? [...others, inserted] : [...others.slice(0, index), inserted, ...others.slice(index)]
  const moved: QueuePriority[] = []
  let last = 0
  for (const queue of order) {
    const priority = queue.priority > last ? queue.priority : last + 1
    if (queue.id !== inserted.id && priority !== queue.priority) moved.push({ id: queue.id, priority })
    last = priority
  }
  return moved
}

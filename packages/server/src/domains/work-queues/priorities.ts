/** A queue's place among those of its pool: 1 is served first, and no two have the same. */
export interface QueuePriority {
  readonly id: string
  readonly priority: number
}

/** The lowest priority that none of the queues has. */
export function lowestFreePriority(queues: readonly QueuePriority[]): number {
  const taken = new Set(queues.map(({ priority }) => priority))
  let free = 1
  while (taken.has(free)) free += 1
  return free
}

/**
 * Makes room for a queue at the priority it asks for: whoever is there moves down one, and so on until there is a gap. Answers
 * with those that moved alone.
 */
export function shiftPriorities(queues: readonly QueuePriority[], wanted: QueuePriority): QueuePriority[] {
  const others = queues.filter(({ id }) => id !== wanted.id).sort((a, b) => a.priority - b.priority)
  const at = others.findIndex(({ priority }) => priority >= wanted.priority)
  const order = at < 0 ? [...others, wanted] : [...others.slice(0, at), wanted, ...others.slice(at)]
  const moved: QueuePriority[] = []
  let last = 0
  for (const queue of order) {
    const priority = queue.priority > last ? queue.priority : last + 1
    if (queue.id !== wanted.id && priority !== queue.priority) moved.push({ id: queue.id, priority })
    last = priority
  }
  return moved
}

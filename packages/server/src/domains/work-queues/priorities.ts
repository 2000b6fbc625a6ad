/** 1 is served first. Queues without a pool may share a priority; then the older one is served first. */
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
  const behind = queues.filter(({ id, priority }) => id !== inserted.id && priority >= inserted.priority).sort((a, b) => a.priority - b.priority)
  const moved: QueuePriority[] = []
  let last = inserted.priority
  for (const { id, priority } of behind) {
    if (priority > last) break
    last += 1
    moved.push({ id, priority: last })
  }
  return moved
}

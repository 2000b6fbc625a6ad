/** A callback at a virtual time. */
export interface QueuedEvent {
  /** Virtual microseconds since the start of the simulation. */
  readonly at: number
  /** Drawn from the seed: decides between events of the same time. */
  readonly order: number
  readonly sequence: number
}

/** A binary heap of events, earliest first. */
export class EventQueue<E extends QueuedEvent> {
  readonly #heap: E[] = []

  get size(): number {
    return this.#heap.length
  }

  push(event: E): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(event)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(event, heap[parent] as E)) break
      heap[index] = heap[parent] as E
      index = parent
    }
    heap[index] = event
  }

  pop(): E | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as E, heap[child] as E)) child += 1
      if (!isBefore(heap[child] as E, last)) break
      heap[index] = heap[child] as E
      index = child
    }
    heap[index] = last
    return first
  }
}

function isBefore(one: QueuedEvent, other: QueuedEvent): boolean {
  if (one.at !== other.at) return one.at < other.at
  return one.order === other.order ? one.sequence < other.sequence : one.order < other.order
}

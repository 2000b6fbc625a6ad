/** A peer with less than this in its buffer is not slow. */
const smallBytes = 256 * 1024

/**
 * Limits the bytes that wait to be sent to all WebSockets together. Each has a limit of its own, but a thousand slow peers at that limit would fill the
 * memory. Above the shared limit, peers with a large buffer are disconnected; those that keep up are not affected.
 */
export class SendBudget {
  readonly #max: number
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  get used(): number {
    return this.#used
  }

  /** Counts the bytes in the buffer of a peer, which had `before` bytes when it was last counted. */
  update(before: number, buffered: number): void {
    this.#used += buffered - before
  }

  /** Whether a peer has to be disconnected, because all buffers together are full and its own is large. */
  isExceededBy(buffered: number): boolean {
    return this.#used > this.#max && buffered > smallBytes
  }
}

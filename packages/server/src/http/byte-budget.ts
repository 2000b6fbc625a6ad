/**
 * How many bytes all connections together may hold of bodies and messages. Large ones may take three quarters of it, so that a few clients that send
 * large bodies cannot keep everybody else from sending small ones.
 */
export class ByteBudget {
  readonly #max: number
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  get used(): number {
    return this.#used
  }

  /** Whether there is room for so many bytes more of something that has `held` already. */
  tryAcquire(bytes: number, held: number): boolean {
    const max = held + bytes > smallBytes ? this.#max * largeShare : this.#max
    if (this.#used + bytes > max) return false
    this.#used += bytes
    return true
  }

  release(bytes: number): void {
    this.#used -= bytes
  }
}

/** What is no larger than this is small: ordinary requests have a few kilobytes. */
export const smallBytes = 64 * 1024

const largeShare = 0.75

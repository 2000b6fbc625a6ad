/**
 * Limits the bytes that the bodies and messages of all connections hold together. Large ones can use three quarters of the budget, so that a few
 * clients with large bodies do not block the small bodies of others.
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

  /** Reserves more bytes for a body or message that already holds `held` bytes. Returns false if the budget is used up. */
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

/** Maximum size of a small body. Ordinary requests have a few kilobytes. */
export const smallBytes = 64 * 1024

const largeShare = 0.75

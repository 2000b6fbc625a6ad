import { afterSeconds } from '../lib/time.ts'

/** Time between two messages. */
const everySeconds = 60

/** More addresses are counted together. */
const addressesMax = 1000

/** Logs wrong passwords: the first one at once, and then how many there were in each minute. */
export class GuessReport {
  readonly #warn: (message: string) => void
  readonly #counts = new Map<string, number>()
  #total = 0
  #isWaiting = false

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  count(address: string): void {
    if (!this.#isWaiting) {
      this.#warn(`Wrong password from ${address || 'an unknown address'}`)
      this.#wait()
      return
    }
    this.#total += 1
    const before = this.#counts.get(address)
    if (before !== undefined || this.#counts.size < addressesMax) this.#counts.set(address, (before ?? 0) + 1)
  }

  #wait(): void {
    this.#isWaiting = true
    afterSeconds(everySeconds, () => this.#summarize())
  }

  #summarize(): void {
    this.#isWaiting = false
    if (this.#total === 0) return
    const [[address, most] = ['', 0]] = [...this.#counts].sort(([, a], [, b]) => b - a)
    const from = this.#counts.size < addressesMax ? this.#counts.size : `at least ${addressesMax}`
    this.#warn(
      `${this.#total} more wrong passwords within ${everySeconds} seconds from ${from} addresses, ${most} of them from ${address || 'an unknown address'}`,
    )
    this.#total = 0
    this.#counts.clear()
    this.#wait()
  }
}

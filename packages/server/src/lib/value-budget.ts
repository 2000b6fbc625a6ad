/**
 * Limits the number of parsed values of large JSON texts in memory. A value takes up to 200 bytes, so that many texts of a few megabytes at once could
 * exhaust the memory. Further texts wait.
 */
export class ValueBudget {
  readonly #max: number
  readonly #waiting: { readonly values: number; readonly start: () => void }[] = []
  #held = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Resolves when the budget allows it. A text above the whole budget runs alone. */
  acquire(values: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(values)) {
      this.#held += values
      return Promise.resolve()
    }
    return new Promise((start) => this.#waiting.push({ values, start }))
  }

  release(values: number): void {
    this.#held -= values
    for (let next = this.#waiting[0]; next && this.#fits(next.values); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#held += next.values
      next.start()
    }
  }

  #fits(values: number): boolean {
    return this.#held === 0 || this.#held + values <= this.#max
  }
}

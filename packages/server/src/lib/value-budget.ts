/**
 * How many values of large JSON texts are held at once. A value takes some 200 bytes in the worst case, so that texts of some megabytes could fill the
 * memory when many are read at the same time. Others wait for their turn.
 */
export class ValueBudget {
  readonly #max: number
  readonly #waiting: { readonly values: number; readonly start: () => void }[] = []
  #held = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Resolves when there is room; a text that is larger than the budget is read by itself. */
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

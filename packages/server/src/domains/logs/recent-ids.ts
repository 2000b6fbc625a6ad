/** The ids that were seen last, so many at most. */
export class RecentIds {
  readonly #max: number
  /** In the order in which they came, as sets are. */
  readonly #ids = new Set<string>()
  #hasEvicted = false

  constructor(max: number) {
    this.#max = max
  }

  /** False when it is known. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > this.#max) {
      this.#ids.delete(this.#ids.values().next().value as string)
      this.#hasEvicted = true
    }
    return true
  }

  /** What came before this one is forgotten; undefined while nothing is. */
  get oldest(): string | undefined {
    return this.#hasEvicted ? this.#ids.values().next().value : undefined
  }

  clear(): void {
    this.#ids.clear()
    this.#hasEvicted = false
  }
}

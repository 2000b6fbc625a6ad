/** The ids that were added last, up to a maximum, to recognize items that arrive again. */
export class RecentIds {
  readonly #max: number
  /** A set iterates in the order of insertion. */
  readonly #ids = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Returns false if the id was there. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > this.#max) this.#ids.delete(this.#ids.values().next().value as string)
    return true
  }
}

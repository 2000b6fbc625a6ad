import type { StringTable } from './string-table.ts'

/** Texts of a register by the alphabet. Those that came before keep their order: only what is new has to be sorted. */
export class StringOrder {
  readonly #strings: StringTable
  #sorted = new Uint32Array()
  #known = new Uint8Array()

  constructor(texts: StringTable) {
    this.#strings = texts
  }

  /** Puts numbers into the order of their texts, those too that were asked for before. */
  sorted(numbers: Uint32Array): Uint32Array {
    if (this.#known.length < this.#strings.count) {
      const known = new Uint8Array(this.#strings.count)
      known.set(this.#known)
      this.#known = known
    }
    const fresh: { number: number; text: string }[] = []
    for (const number of numbers) {
      if (this.#known[number]) continue
      this.#known[number] = 1
      fresh.push({ number, text: this.#strings.at(number) })
    }
    if (fresh.length > 0) this.#add(fresh.sort((a, b) => (a.text < b.text ? -1 : 1)))
    return this.#sorted
  }

  #add(fresh: readonly { readonly number: number; readonly text: string }[]): void {
    const before = this.#sorted
    const merged = new Uint32Array(before.length + fresh.length)
    let [from, at] = [0, 0]
    for (const { number, text } of fresh) {
      const to = this.#upperBound(text, from)
      merged.set(before.subarray(from, to), at)
      at += to - from
      merged[at] = number
      at += 1
      from = to
    }
    merged.set(before.subarray(from), at)
    this.#sorted = merged
  }

  /** Where a text would stand among those that are sorted, from a place on. */
  #upperBound(text: string, from: number): number {
    let low = from
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#strings.at(this.#sorted[middle] as number) > text) high = middle
      else low = middle + 1
    }
    return low
  }
}

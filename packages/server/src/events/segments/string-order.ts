import type { StringTable } from './string-table.ts'

/** The sorted order of the strings in a table. The order is kept between calls; only new strings are sorted. */
export class StringOrder {
  readonly #strings: StringTable
  #sorted = new Uint32Array()
  /** 1 for each id in `#sorted`. */
  #added = new Uint8Array()

  constructor(strings: StringTable) {
    this.#strings = strings
  }

  /** Adds ids and returns all ids that were ever added, sorted by string. */
  sorted(ids: Uint32Array): Uint32Array {
    if (this.#added.length < this.#strings.count) {
      const added = new Uint8Array(this.#strings.count)
      added.set(this.#added)
      this.#added = added
    }
    const fresh: { id: number; text: string }[] = []
    for (const id of ids) {
      if (this.#added[id]) continue
      this.#added[id] = 1
      fresh.push({ id, text: this.#strings.at(id) })
    }
    if (fresh.length > 0) this.#add(fresh.sort((a, b) => (a.text < b.text ? -1 : 1)))
    return this.#sorted
  }

  #add(fresh: readonly { readonly id: number; readonly text: string }[]): void {
    const before = this.#sorted
    const merged = new Uint32Array(before.length + fresh.length)
    let [from, at] = [0, 0]
    for (const { id, text } of fresh) {
      const to = this.#upperBound(text, from)
      merged.set(before.subarray(from, to), at)
      at += to - from
      merged[at] = id
      at += 1
      from = to
    }
    merged.set(before.subarray(from), at)
    this.#sorted = merged
  }

  /** The insertion index of a text in `#sorted`, at or after `from`. */
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

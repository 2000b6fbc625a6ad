import type { Register } from './register.ts'

/** Texts of a register by the alphabet. Those that came before keep their order: only what is new has to be sorted. */
export class Ranks {
  readonly #texts: Register
  #sorted = new Uint32Array()
  #known = new Uint8Array()

  constructor(texts: Register) {
    this.#texts = texts
  }

  /** Puts numbers into the order of their texts, those too that were asked for before. */
  sorted(numbers: Uint32Array): Uint32Array {
    if (this.#known.length < this.#texts.count) {
      const known = new Uint8Array(this.#texts.count)
      known.set(this.#known)
      this.#known = known
    }
    const fresh: { number: number; text: string }[] = []
    for (const number of numbers) {
      if (this.#known[number]) continue
      this.#known[number] = 1
      fresh.push({ number, text: this.#texts.at(number) })
    }
    if (fresh.length > 0) this.#add(fresh.sort((a, b) => (a.text < b.text ? -1 : 1)))
    return this.#sorted
  }

  #add(fresh: readonly { readonly number: number; readonly text: string }[]): void {
    const before = this.#sorted
    const merged = new Uint32Array(before.length + fresh.length)
    let [from, at] = [0, 0]
    for (const { number, text } of fresh) {
      const to = this.#placeOf(text, from)
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
  #placeOf(text: string, from: number): number {
    let low = from
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#texts.at(this.#sorted[middle] as number) > text) high = middle
      else low = middle + 1
    }
    return low
  }
}

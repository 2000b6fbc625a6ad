import type { Register } from './register.ts'

/** Distinct texts in the order of their code units, so that those that begin alike lie side by side. Made over bytes, and read one at a time. */
export class Words {
  readonly #ends: Uint32Array
  readonly #bytes: Buffer

  constructor(ends: Uint32Array, bytes: Uint8Array) {
    this.#ends = ends
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get count(): number {
    return this.#ends.length
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', index === 0 ? 0 : this.#ends[index - 1], this.#ends[index])
  }

  /** The place of a text, -1 when it is not there. */
  find(text: string): number {
    const place = this.#first((word) => word >= text)
    return place < this.count && this.at(place) === text ? place : -1
  }

  /** From the first that begins with the prefix up to, not including, the first after them. */
  startingWith(prefix: string): [from: number, to: number] {
    return [this.#first((word) => word >= prefix), this.#first((word) => word >= prefix && !word.startsWith(prefix))]
  }

  /** The numbers that a register has for some of them. */
  numbersOf(places: Uint32Array, register: Register): Uint32Array {
    return places.map((place) => register.numberOf(this.#bytes, place === 0 ? 0 : (this.#ends[place - 1] as number), this.#ends[place] as number))
  }

  #first(holds: (word: string) => boolean): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(this.at(middle))) high = middle
      else low = middle + 1
    }
    return low
  }
}

export interface SortedTexts {
  readonly texts: readonly string[]
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
  placeOf(text: string): number
}

export function sortedTexts(given: Iterable<string>): SortedTexts {
  const texts = [...new Set(given)].sort()
  const places = new Map(texts.map((text, index) => [text, index]))
  return { texts, ...joined(texts, ''), placeOf: (text) => places.get(text) as number }
}

/** Texts one after the other, each with something behind it, and where each ends. */
export function joined(texts: readonly string[], after: string): { ends: Uint32Array; bytes: Uint8Array } {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text) + after.length
    ends[index] = end
  }
  const whole = texts.length === 0 ? '' : texts.join(after) + after
  return { ends, bytes: Buffer.from(whole) }
}

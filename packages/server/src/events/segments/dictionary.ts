import type { StringTable } from './string-table.ts'

/** Distinct texts in the order of their bytes, so that those that begin alike lie side by side. To look for one makes a string of none. */
export class Dictionary {
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
    const wanted = Buffer.from(text)
    const place = this.#lowerBound(wanted, 0)
    return place < this.count && this.#compare(place, wanted, wanted.length + 1) === 0 ? place : -1
  }

  /**
   * The places of those of many texts that are there. The texts are in the order of their bytes, so that each is looked for after the one before it, and
   * among the words that begin as all of them do.
   */
  findAll({ sorted: inOrder, commonPrefix: shared }: LookupTexts): number[] {
    const [from, to] = this.#prefixRange(shared)
    const found: number[] = []
    let place = from
    for (const wanted of inOrder) {
      place = this.#lowerBound(wanted, 0, { from: place, to, shared: shared.length })
      if (place === to) break
      if (this.#compare(place, wanted, wanted.length + 1, shared.length) === 0) found.push(place)
    }
    return found
  }

  /** From the first that begins with the prefix up to, not including, the first after them. */
  prefixRange(prefix: string): [from: number, to: number] {
    return this.#prefixRange(Buffer.from(prefix))
  }

  #prefixRange(prefix: Uint8Array): [from: number, to: number] {
    return [this.#lowerBound(prefix, 0), this.#lowerBound(prefix, 1, { most: prefix.length })]
  }

  /** The numbers that a register has for some of them. */
  internInto(places: Uint32Array, stringTable: StringTable): Uint32Array {
    return places.map((place) => stringTable.intern(this.#bytes, place === 0 ? 0 : (this.#ends[place - 1] as number), this.#ends[place] as number))
  }

  /** The first that compares to a text like this or higher. */
  #lowerBound(
    wanted: Uint8Array,
    least: number,
    { from = 0, to = this.count, most = Number.POSITIVE_INFINITY, shared = 0 }: SearchBounds = {},
  ): number {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, wanted, most, shared) >= least) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Below 0, 0 or above: the first bytes of a word against a text, of which so many are known to be alike. */
  #compare(place: number, wanted: Uint8Array, most: number, shared = 0): number {
    const from = place === 0 ? 0 : (this.#ends[place - 1] as number)
    const length = Math.min((this.#ends[place] as number) - from, most)
    const both = Math.min(length, wanted.length)
    for (let i = shared; i < both; i += 1) {
      const difference = (this.#bytes[from + i] as number) - (wanted[i] as number)
      if (difference !== 0) return difference
    }
    return length - wanted.length
  }
}

/** Where among the words to look, of how many bytes of each, and how many of them begin like the text that is looked for. */
interface SearchBounds {
  readonly from?: number
  readonly to?: number
  readonly most?: number
  readonly shared?: number
}

/** Texts to look for, in the order of their bytes, and what all of them begin with. */
export interface LookupTexts {
  readonly sorted: readonly Uint8Array[]
  readonly commonPrefix: Uint8Array
}

const preparedLookups = new WeakMap<readonly string[], LookupTexts>()

/** Made once for all the chapters that are asked. */
export function prepareLookup(texts: readonly string[]): LookupTexts {
  const known = preparedLookups.get(texts)
  if (known) return known
  const sorted = texts.map((text) => Buffer.from(text)).sort(Buffer.compare)
  const [first, last] = [sorted[0] ?? Buffer.alloc(0), sorted.at(-1) ?? Buffer.alloc(0)]
  let length = 0
  while (length < first.length && first[length] === last[length]) length += 1
  const wanted = { sorted, commonPrefix: first.subarray(0, length) }
  preparedLookups.set(texts, wanted)
  return wanted
}

export interface DictionaryData {
  readonly texts: readonly string[]
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
  ordinalOf(text: string): number
}

const surrogates = /[\ud800-\udfff]/

export function buildDictionary(given: Iterable<string>): DictionaryData {
  const texts = [...new Set(given)].sort()
  // By code units, which is by bytes unless there are characters beyond the first 65,536.
  if (texts.some((text) => surrogates.test(text))) texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const places = new Map(texts.map((text, index) => [text, index]))
  return { texts, ...concatenateTexts(texts, ''), ordinalOf: (text) => places.get(text) as number }
}

/** Texts one after the other, each with something behind it, and where each ends. */
export function concatenateTexts(texts: readonly string[], after: string): { ends: Uint32Array; bytes: Uint8Array } {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text) + after.length
    ends[index] = end
  }
  const whole = texts.length === 0 ? '' : texts.join(after) + after
  return { ends, bytes: Buffer.from(whole) }
}

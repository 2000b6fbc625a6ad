import type { StringTable } from './string-table.ts'

/** Distinct texts in byte order, so that texts with a common prefix are adjacent. A lookup compares bytes and creates no strings. */
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

  /** The ordinal of a text; -1 when it is missing. */
  find(text: string): number {
    const wanted = Buffer.from(text)
    const ordinal = this.#lowerBound(wanted, 0)
    return ordinal < this.count && this.#compare(ordinal, wanted, wanted.length + 1) === 0 ? ordinal : -1
  }

  /**
   * The ordinals of the given texts that exist. The texts are sorted by bytes, so each search starts at the previous one and stays within their common
   * prefix.
   */
  findAll({ sorted, commonPrefix }: LookupTexts): number[] {
    const [from, to] = this.#prefixRange(commonPrefix)
    const found: number[] = []
    let ordinal = from
    for (const wanted of sorted) {
      ordinal = this.#lowerBound(wanted, 0, { from: ordinal, to, shared: commonPrefix.length })
      if (ordinal === to) break
      if (this.#compare(ordinal, wanted, wanted.length + 1, commonPrefix.length) === 0) found.push(ordinal)
    }
    return found
  }

  /** The ordinals of texts with a prefix: from inclusive, to exclusive. */
  prefixRange(prefix: string): [from: number, to: number] {
    return this.#prefixRange(Buffer.from(prefix))
  }

  #prefixRange(prefix: Uint8Array): [from: number, to: number] {
    return [this.#lowerBound(prefix, 0), this.#lowerBound(prefix, 1, { most: prefix.length })]
  }

  /** Adds texts to a string table. Returns their ids. */
  internInto(ordinals: Uint32Array, stringTable: StringTable): Uint32Array {
    return ordinals.map((ordinal) =>
      stringTable.intern(this.#bytes, ordinal === 0 ? 0 : (this.#ends[ordinal - 1] as number), this.#ends[ordinal] as number),
    )
  }

  /** The first ordinal whose comparison with the text is at least `least`. */
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

  /** Compares the first `most` bytes of an entry with a text. The first `shared` bytes are known to be equal. */
  #compare(ordinal: number, wanted: Uint8Array, most: number, shared = 0): number {
    const from = ordinal === 0 ? 0 : (this.#ends[ordinal - 1] as number)
    const length = Math.min((this.#ends[ordinal] as number) - from, most)
    const both = Math.min(length, wanted.length)
    for (let i = shared; i < both; i += 1) {
      const difference = (this.#bytes[from + i] as number) - (wanted[i] as number)
      if (difference !== 0) return difference
    }
    return length - wanted.length
  }
}

/** Restricts a search to a range of ordinals, to the first `most` bytes, and past the first `shared` bytes. */
interface SearchBounds {
  readonly from?: number
  readonly to?: number
  readonly most?: number
  readonly shared?: number
}

/** Texts to look up, sorted by bytes, with their common prefix. */
export interface LookupTexts {
  readonly sorted: readonly Uint8Array[]
  readonly commonPrefix: Uint8Array
}

const preparedLookups = new WeakMap<readonly string[], LookupTexts>()

/** Cached per list, because a filter uses it for every segment. */
export function prepareLookup(texts: readonly string[]): LookupTexts {
  const cached = preparedLookups.get(texts)
  if (cached) return cached
  const sorted = texts.map((text) => Buffer.from(text)).sort(Buffer.compare)
  const [first, last] = [sorted[0] ?? Buffer.alloc(0), sorted.at(-1) ?? Buffer.alloc(0)]
  let length = 0
  while (length < first.length && first[length] === last[length]) length += 1
  const lookup = { sorted, commonPrefix: first.subarray(0, length) }
  preparedLookups.set(texts, lookup)
  return lookup
}

export interface DictionaryData {
  readonly texts: readonly string[]
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
  ordinalOf(text: string): number
}

const surrogates = /[\ud800-\udfff]/

export function buildDictionary(source: Iterable<string>): DictionaryData {
  const texts = [...new Set(source)].sort()
  // Code unit order equals byte order unless there are surrogate pairs.
  if (texts.some((text) => surrogates.test(text))) texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const ordinals = new Map(texts.map((text, index) => [text, index]))
  return { texts, ...concatenateTexts(texts, ''), ordinalOf: (text) => ordinals.get(text) as number }
}

/** Concatenates texts, each followed by a terminator. Returns the bytes and the end of each text. */
export function concatenateTexts(texts: readonly string[], terminator: string): { ends: Uint32Array; bytes: Uint8Array } {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text) + terminator.length
    ends[index] = end
  }
  const joined = texts.length === 0 ? '' : texts.join(terminator) + terminator
  return { ends, bytes: Buffer.from(joined) }
}

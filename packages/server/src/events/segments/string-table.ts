import { growArray } from './typed-arrays.ts'

const initialStrings = 1 << 12
const initialBytes = 1 << 18

/**
 * Numbers for texts of many chapters, so that what belongs to one text is put together by indexes into lists of numbers. Ids of some hundred thousand
 * resources as strings in a `Map` took four times the memory and most of the time of a count.
 */
export class StringTable {
  count = 0
  readonly #seed: number
  #bytes = Buffer.allocUnsafeSlow(initialBytes)
  /** Where each text ends. */
  #ends = new Uint32Array(initialStrings)
  #needsNoEscape = new Uint8Array(initialStrings)
  /** Numbers from 1 by hash, each at the first free place from its own on; 0 is a free place. At most half of the places are taken. */
  #hashTable = new Uint32Array(initialStrings * 2)

  /** With a seed that nobody outside knows, nobody can choose texts that all fall on one place. */
  constructor(seed: number) {
    this.#seed = seed
  }

  /** What its texts take. */
  get bytes(): number {
    return this.#startOf(this.count)
  }

  at(number: number): string {
    return this.#bytes.toString('utf8', this.#startOf(number), this.#ends[number])
  }

  /** Puts the bytes of a text somewhere; where it ends there. */
  copyTo(number: number, to: Uint8Array, at: number): number {
    const from = this.#startOf(number)
    const length = (this.#ends[number] as number) - from
    const bytes = this.#bytes
    for (let i = 0; i < length; i += 1) to[at + i] = bytes[from + i] as number
    return at + length
  }

  /** Whether JSON writes a text as it is, but for the quotes around it. */
  needsNoEscape(number: number): boolean {
    return this.#needsNoEscape[number] === 1
  }

  /** How many bytes a text takes in JSON. */
  jsonLength(number: number): number {
    if (this.#needsNoEscape[number] === 1) return (this.#ends[number] as number) - this.#startOf(number) + 2
    return Buffer.byteLength(JSON.stringify(this.at(number)))
  }

  /** The number of a text that stands between two places of some bytes. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#hashTable.length - 1
    let place = hashBytes(bytes, from, to, this.#seed) & mask
    for (let number = this.#hashTable[place] as number; number !== 0; number = this.#hashTable[place] as number) {
      if (this.#equals(number - 1, bytes, from, to)) return number - 1
      place = (place + 1) & mask
    }
    this.#ensureCapacity(to - from)
    this.#bytes.set(bytes.subarray(from, to), this.bytes)
    this.#needsNoEscape[this.count] = Number(needsNoEscape(bytes, from, to))
    this.#ends[this.count] = this.bytes + to - from
    this.count += 1
    this.#hashTable[place] = this.count
    if (this.count * 2 > this.#hashTable.length) this.#rehash()
    return this.count - 1
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] as number)
  }

  #equals(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(number)
    if ((this.#ends[number] as number) - start !== to - from) return false
    // The ends of ids differ more than their beginnings.
    for (let i = to - from - 1; i >= 0; i -= 1) if (this.#bytes[start + i] !== bytes[from + i]) return false
    return true
  }

  #ensureCapacity(length: number): void {
    if (this.count === this.#ends.length) {
      this.#ends = growArray(this.#ends, this.count + 1)
      this.#needsNoEscape = growArray(this.#needsNoEscape, this.count + 1)
    }
    const needed = this.bytes + length
    if (needed <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(bytes, 0, 0, this.bytes)
    this.#bytes = bytes
  }

  #rehash(): void {
    const places = new Uint32Array(this.#hashTable.length * 2)
    for (let number = 0; number < this.count; number += 1) {
      let place = hashBytes(this.#bytes, this.#startOf(number), this.#ends[number] as number, this.#seed) & (places.length - 1)
      while (places[place] !== 0) place = (place + 1) & (places.length - 1)
      places[place] = number + 1
    }
    this.#hashTable = places
  }
}

function hashBytes(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function needsNoEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] as number
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return false
  }
  return true
}

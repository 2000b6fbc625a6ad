const initialStrings = 1 << 12
const initialBytes = 1 << 18

/**
 * Maps the strings of many segments to dense integers, so that counts can use typed arrays. A `Map` with some hundred thousand resource ids took four times
 * the memory and most of the time of a count.
 */
export class StringTable {
  count = 0
  readonly #seed: number
  #bytes = Buffer.allocUnsafeSlow(initialBytes)
  /** The end of each string in `#bytes`. */
  #ends = new Uint32Array(initialStrings)
  #needsNoEscape = new Uint8Array(initialStrings)
  /** Open addressing: id + 1 by hash, 0 for a free slot. At most half full. */
  #hashTable = new Uint32Array(initialStrings * 2)

  /** The seed must be secret, so that clients cannot choose strings that collide. */
  constructor(seed: number) {
    this.#seed = seed
  }

  /** The size of all strings. */
  get bytes(): number {
    return this.#startOf(this.count)
  }

  at(id: number): string {
    return this.#bytes.toString('utf8', this.#startOf(id), this.#ends[id])
  }

  /** Copies the bytes of a string. Returns the end offset in the target. */
  copyTo(id: number, to: Uint8Array, at: number): number {
    const from = this.#startOf(id)
    const length = (this.#ends[id] as number) - from
    const bytes = this.#bytes
    for (let i = 0; i < length; i += 1) to[at + i] = bytes[from + i] as number
    return at + length
  }

  /** Whether the string needs no escapes in JSON. */
  needsNoEscape(id: number): boolean {
    return this.#needsNoEscape[id] === 1
  }

  /** The size of the string in JSON, with quotes. */
  jsonLength(id: number): number {
    if (this.#needsNoEscape[id] === 1) return (this.#ends[id] as number) - this.#startOf(id) + 2
    return Buffer.byteLength(JSON.stringify(this.at(id)))
  }

  /** Returns the id of the string in a byte range, adding it when it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#hashTable.length - 1
    let slot = hashBytes(bytes, from, to, this.#seed) & mask
    for (let entry = this.#hashTable[slot] as number; entry !== 0; entry = this.#hashTable[slot] as number) {
      if (this.#equals(entry - 1, bytes, from, to)) return entry - 1
      slot = (slot + 1) & mask
    }
    this.#ensureCapacity(to - from)
    this.#bytes.set(bytes.subarray(from, to), this.bytes)
    this.#needsNoEscape[this.count] = Number(needsNoEscape(bytes, from, to))
    this.#ends[this.count] = this.bytes + to - from
    this.count += 1
    this.#hashTable[slot] = this.count
    if (this.count * 2 > this.#hashTable.length) this.#rehash()
    return this.count - 1
  }

  #startOf(id: number): number {
    return id === 0 ? 0 : (this.#ends[id - 1] as number)
  }

  #equals(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(id)
    if ((this.#ends[id] as number) - start !== to - from) return false
    // Backwards, because resource ids share their prefixes.
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
    const table = new Uint32Array(this.#hashTable.length * 2)
    for (let id = 0; id < this.count; id += 1) {
      let slot = hashBytes(this.#bytes, this.#startOf(id), this.#ends[id] as number, this.#seed) & (table.length - 1)
      while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1)
      table[slot] = id + 1
    }
    this.#hashTable = table
  }
}

/** Returns the array with room for `size` entries. Doubles the length, so that arrays indexed by string id grow with the table. */
export function growArray<T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(array: T, size: number): T {
  if (size <= array.length) return array
  const grown = new (array.constructor as new (length: number) => T)(Math.max(size, array.length * 2))
  grown.set(array)
  return grown
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

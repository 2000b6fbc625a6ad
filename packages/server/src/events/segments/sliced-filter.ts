/** Segments per group: one bit of a word for each. */
const groupSize = 32

/**
 * A Bloom filter for each of many segments, stored by rows: a word has one bit for each of 32 segments, so that a lookup reads a few words for 32 segments
 * at once. It may report a segment that does not contain the key, but never misses one that does.
 */
export class SlicedFilter {
  readonly #rows: number
  readonly #hashes: number
  readonly #groups: Uint32Array[] = []
  readonly #free: number[] = []

  /** `rows` is a power of two. With 32 rows per key and 8 hashes, a segment is reported wrongly for 6 of a million keys. */
  constructor(rows: number, hashes: number) {
    this.#rows = rows
    this.#hashes = hashes
  }

  /** Adds a segment. Returns its slot. */
  addSegment(keys: Uint32Array): number {
    if (this.#free.length === 0) {
      const from = this.#groups.length * groupSize
      this.#groups.push(new Uint32Array(this.#rows))
      for (let slot = from + groupSize - 1; slot >= from; slot -= 1) this.#free.push(slot)
    }
    const slot = this.#free.pop() as number
    const group = this.#groups[Math.floor(slot / groupSize)] as Uint32Array
    const bit = 1 << (slot % groupSize)
    const mask = this.#rows - 1
    for (let i = 0; i < keys.length; i += 1) {
      let hash = keys[i] as number
      for (let n = 0; n < this.#hashes; n += 1) {
        const at = hash & mask
        group[at] = (group[at] as number) | bit
        hash = nextHash(hash)
      }
    }
    return slot
  }

  removeSegment(slot: number): void {
    const group = this.#groups[Math.floor(slot / groupSize)] as Uint32Array
    const others = ~(1 << (slot % groupSize))
    for (let row = 0; row < group.length; row += 1) group[row] = (group[row] as number) & others
    this.#free.push(slot)
  }

  /** Calls back with the slot of each segment that may contain the key. */
  forEachCandidate(key: number, use: (slot: number) => void): void {
    const mask = this.#rows - 1
    for (let index = 0; index < this.#groups.length; index += 1) {
      const group = this.#groups[index] as Uint32Array
      let found = 0xffffffff
      for (let n = 0, hash = key; n < this.#hashes && found !== 0; n += 1, hash = nextHash(hash)) found &= group[hash & mask] as number
      for (let bit = 0; found !== 0; bit += 1, found >>>= 1) if (found & 1) use(index * groupSize + bit)
    }
  }
}

/** Rows at equal distances would report 30 times as many segments wrongly. */
const nextHash = (hash: number): number => mix(hash + 0x9e3779b9)

/** Mixes all bits of a hash, so that any of them select a row evenly. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** The keys of UUIDs of 16 bytes each. */
export function uuidKeys(ids: Uint8Array): Uint32Array {
  const view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength)
  const keys = new Uint32Array(ids.byteLength / 16)
  for (let i = 0; i < keys.length; i += 1) {
    let hash = 0
    for (let at = i * 16; at < i * 16 + 16; at += 4) hash = mix(hash ^ view.getUint32(at))
    keys[i] = hash
  }
  return keys
}

export const textKey = (text: string): number => bytesKey(Buffer.from(text))

/** FNV-1a. */
function bytesKey(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i += 1) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return mix(hash)
}

interface Entry<V> {
  readonly version: string
  readonly value: V
  readonly size: number
}

/**
 * A cache of values by id, each valid for one version. Entries live in two generations: a read moves an entry to the young one, and a full young
 * generation replaces the old one. So entries in use stay, and a read costs one or two lookups. `sizeMax` bounds both generations together.
 */
export class VersionedCache<V> {
  readonly #generationSizeMax: number
  #young = new Map<string, Entry<V>>()
  #old = new Map<string, Entry<V>>()
  #youngSize = 0

  constructor(sizeMax: number) {
    this.#generationSizeMax = sizeMax / 2
  }

  /** Undefined for another version. */
  get(id: string, version: string): V | undefined {
    let entry = this.#young.get(id)
    if (!entry) {
      entry = this.#old.get(id)
      if (!entry) return undefined
      this.#old.delete(id)
      if (entry.version === version) this.#add(id, entry)
    }
    return entry.version === version ? entry.value : undefined
  }

  /** A value larger than a generation is not stored. */
  set(id: string, version: string, value: V, size: number): void {
    const previous = this.#young.get(id)
    if (previous) {
      this.#young.delete(id)
      this.#youngSize -= previous.size
    }
    this.#old.delete(id)
    if (size <= this.#generationSizeMax) this.#add(id, { version, value, size })
  }

  #add(id: string, entry: Entry<V>): void {
    if (this.#youngSize + entry.size > this.#generationSizeMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    this.#young.set(id, entry)
    this.#youngSize += entry.size
  }
}

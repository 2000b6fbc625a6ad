export interface LruCacheLimits {
  readonly entriesMax: number
  /** The maximum total weight of all entries. */
  readonly weightMax?: number
}

interface Entry<V> {
  readonly value: V
  readonly weight: number
}

/** An LRU cache, bounded by the number of entries and by their total weight. */
export class LruCache<K, V> {
  readonly #entries = new Map<K, Entry<V>>()
  readonly #limits: LruCacheLimits
  #weight = 0

  constructor(limits: LruCacheLimits) {
    this.#limits = limits
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // The most recently used entry comes last.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V, weight = 0): void {
    this.delete(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    const { entriesMax, weightMax = Number.POSITIVE_INFINITY } = this.#limits
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entriesMax && this.#weight <= weightMax) break
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }
}

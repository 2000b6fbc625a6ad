import { decodeSegmentPart, partNames, type SegmentPartName, type SegmentParts } from './segment.ts'

/** Enough for the columns of a million events. */
const bytesMax = 64 * 1024 * 1024

/** Parts that the fewest filters need are evicted first. */
const evictionOrder: readonly SegmentPartName[] = ['payloads', 'lines', 'subjects', 'grams', 'links', 'columns', 'summary', 'resources']

/** `key` changes with the content of the segment. */
interface SegmentKey {
  readonly first: number
  readonly key: string
}

interface CachedPart<T> {
  readonly key: string
  readonly bytes: number
  readonly part: T
  /** Whether it was used since the last sweep. */
  isUsed: boolean
}

/** Decoded parts of segments, limited by size. Those that no query uses for a while are dropped. */
export class SegmentCache {
  readonly #parts: Record<SegmentPartName, Map<number, CachedPart<unknown>>>
  #bytes = 0

  constructor() {
    this.#parts = Object.fromEntries(partNames.map((name) => [name, new Map()])) as unknown as Record<
      SegmentPartName,
      Map<number, CachedPart<unknown>>
    >
  }

  get<N extends SegmentPartName>(segment: SegmentKey, name: N): SegmentParts[N] | undefined {
    const cached = this.#parts[name].get(segment.first)
    if (cached?.key !== segment.key) return undefined
    cached.isUsed = true
    return cached.part as SegmentParts[N]
  }

  /** Decodes and caches a part. Undefined without bytes or for another layout version. */
  set<N extends SegmentPartName>({ first, key }: SegmentKey, name: N, bytes: Uint8Array | undefined): SegmentParts[N] | undefined {
    const decoded = bytes && decodeSegmentPart(name, bytes)
    if (!decoded) return undefined
    this.#drop(name, first)
    this.#parts[name].set(first, { key, ...decoded, isUsed: true })
    this.#bytes += decoded.bytes
    this.#evict()
    return decoded.part
  }

  /** Drops segments that no longer exist. */
  retainOnly(segments: readonly SegmentKey[]): void {
    const existing = new Set(segments.map(({ first }) => first))
    for (const name of partNames) for (const first of this.#parts[name].keys()) if (!existing.has(first)) this.#drop(name, first)
  }

  /** Drops the parts that were not used since the last sweep. Returns whether any remain. */
  sweep(): boolean {
    for (const name of partNames)
      for (const [first, cached] of this.#parts[name]) {
        if (!cached.isUsed) this.#drop(name, first)
        cached.isUsed = false
      }
    return this.#bytes > 0
  }

  /** Evicts the oldest events first. New events are queried most, and a query over all events still finds some parts cached. */
  #evict(): void {
    for (const name of evictionOrder) {
      while (this.#bytes > bytesMax && this.#parts[name].size > 0) this.#drop(name, Math.min(...this.#parts[name].keys()))
    }
  }

  #drop(name: SegmentPartName, first: number): void {
    this.#bytes -= this.#parts[name].get(first)?.bytes ?? 0
    this.#parts[name].delete(first)
  }
}

import { decodeSegmentPart, partNames, type SegmentPartName, type SegmentParts } from './segment.ts'

/** Enough for all parts of a million events except `lines`. */
const bytesMax = 160 * 1024 * 1024

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
}

/** Decoded parts of segments, limited by size. */
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
    return ifCurrent(this.#parts[name].get(segment.first), segment) as SegmentParts[N] | undefined
  }

  /** Decodes and caches a part. Undefined without bytes or for another layout version. */
  set<N extends SegmentPartName>({ first, key }: SegmentKey, name: N, bytes: Uint8Array | undefined): SegmentParts[N] | undefined {
    const part = bytes && decodeSegmentPart(name, bytes)
    if (!part) return undefined
    this.#drop(name, first)
    this.#parts[name].set(first, { key, bytes: bytes.byteLength, part })
    this.#bytes += bytes.byteLength
    this.#evict()
    return part
  }

  /** Drops segments that no longer exist. */
  retainOnly(segments: readonly SegmentKey[]): void {
    const existing = new Set(segments.map(({ first }) => first))
    for (const name of partNames) for (const first of this.#parts[name].keys()) if (!existing.has(first)) this.#drop(name, first)
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

const ifCurrent = <T>(cached: CachedPart<T> | undefined, { key }: SegmentKey): T | undefined => (cached?.key === key ? cached.part : undefined)

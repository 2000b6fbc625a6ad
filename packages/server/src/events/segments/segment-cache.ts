import { decodeSegmentPart, partNames, type SegmentPartName, type SegmentParts } from './segment.ts'

/** What is kept in memory at most: all of a million events but for the lines that are searched. */
const bytesMax = 160 * 1024 * 1024

/** What is let go first: whatever fewest filters need. */
const evictionOrder: readonly SegmentPartName[] = ['payloads', 'lines', 'subjects', 'grams', 'links', 'columns']

/** Which chapter, and as it was when: it is another when events of it were trimmed, or when it has grown. */
interface SegmentVersion {
  readonly first: number
  readonly last: number
  readonly version: number
}

interface CachedPart<T> {
  readonly last: number
  readonly version: number
  readonly bytes: number
  readonly part: T
}

/** Parts of chapters that were read lately. */
export class SegmentCache {
  readonly #parts: Record<SegmentPartName, Map<number, CachedPart<unknown>>>
  readonly #remaining = new Map<number, CachedPart<Uint8Array>>()
  #bytes = 0

  constructor() {
    this.#parts = Object.fromEntries(partNames.map((name) => [name, new Map()])) as unknown as Record<
      SegmentPartName,
      Map<number, CachedPart<unknown>>
    >
  }

  get<N extends SegmentPartName>(segment: SegmentVersion, name: N): SegmentParts[N] | undefined {
    return ifCurrent(this.#parts[name].get(segment.first), segment) as SegmentParts[N] | undefined
  }

  /** Undefined when there are no bytes, or such as cannot be read. */
  set<N extends SegmentPartName>({ first, last, version }: SegmentVersion, name: N, bytes: Uint8Array | undefined): SegmentParts[N] | undefined {
    const part = bytes && decodeSegmentPart(name, bytes)
    if (!part) return undefined
    this.#drop(name, first)
    this.#parts[name].set(first, { last, version, bytes: bytes.byteLength, part })
    this.#bytes += bytes.byteLength
    this.#evict()
    return part
  }

  setAll(segment: SegmentVersion, made: Record<SegmentPartName, Uint8Array>): Partial<SegmentParts> {
    return Object.fromEntries(partNames.map((name) => [name, this.set(segment, name, made[name])])) as Partial<SegmentParts>
  }

  getRemaining(segment: SegmentVersion): Uint8Array | undefined {
    return ifCurrent(this.#remaining.get(segment.first), segment)
  }

  setRemaining({ first, last, version }: SegmentVersion, left: Uint8Array): void {
    this.#remaining.set(first, { last, version, bytes: 0, part: left })
  }

  /** Lets go of chapters that are no more. */
  retainOnly(editions: readonly SegmentVersion[]): void {
    const known = new Set(editions.map(({ first }) => first))
    for (const name of partNames) for (const first of this.#parts[name].keys()) if (!known.has(first)) this.#drop(name, first)
    for (const first of this.#remaining.keys()) if (!known.has(first)) this.#remaining.delete(first)
  }

  /** The oldest events go first: what is new is asked for most, and whoever asks for all of them finds some of it here. */
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

const ifCurrent = <T>(known: CachedPart<T> | undefined, { last, version }: SegmentVersion): T | undefined =>
  known && known.version === version && known.last === last ? known.part : undefined

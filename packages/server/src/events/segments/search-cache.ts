import type { Mask } from './match-segment.ts'

/** Cached terms. A term takes at most one byte per searched event. */
const termsMax = 16

const [unknown, absent, present] = [0, 1, 2]

/**
 * Caches which events contain a search term. Searching a frequent term loads all parts of the segments and reads long payloads from the rows. A repeated
 * search, such as a list that refreshes itself, searches only new events.
 */
export class SearchCache {
  readonly #terms = new Map<string, Map<number, CachedMatches>>()
  /** The terms that were searched since the last sweep. */
  #used = new Set<string>()

  /** Applies cached results: clears those events in `open` and marks matches in `found`. */
  read(term: string, segment: SegmentSnapshot, open: Mask, found: Mask): void {
    const segments = this.#terms.get(term)
    if (segments) this.#used.add(term)
    const cached = segments?.get(segment.first)
    if (!cached || !isCurrent(cached, segment)) return
    if (!cached.events) {
      open.fill(0)
      return
    }
    for (let i = 0; i < open.length; i += 1) {
      if (!open[i] || cached.events[i] === unknown) continue
      open[i] = 0
      found[i] = Number(cached.events[i] === present)
    }
  }

  /** Drops the terms that were not searched since the last sweep. Returns whether any remain. */
  sweep(): boolean {
    for (const term of this.#terms.keys()) if (!this.#used.has(term)) this.#terms.delete(term)
    this.#used = new Set()
    return this.#terms.size > 0
  }

  /** Caches which events were searched and which of them match. */
  write(term: string, segment: SegmentSnapshot, searched: Mask, found: Mask): void {
    const segments = this.#terms.get(term) ?? new Map<number, CachedMatches>()
    // Moves the term to the end; the least recently used term is evicted first.
    this.#terms.delete(term)
    this.#terms.set(term, segments)
    this.#used.add(term)
    if (this.#terms.size > termsMax) this.#terms.delete(this.#terms.keys().next().value as string)
    const {
      first,
      ref: { key },
    } = segment
    const count = searched.length
    if (!searched.includes(0) && !found.includes(1)) {
      segments.set(first, { key, events: undefined })
      return
    }
    const before = segments.get(first)
    const events = (before && isCurrent(before, segment) ? before.events : undefined) ?? new Uint8Array(count)
    segments.set(first, { key, events })
    for (let i = 0; i < count; i += 1) if (searched[i]) events[i] = found[i] ? present : absent
  }
}

interface SegmentSnapshot {
  readonly first: number
  readonly ref: { readonly key: string }
}

interface CachedMatches {
  /** The content of the segment that was searched. */
  readonly key: string
  /** Undefined when all events were searched and none matches. */
  readonly events: Uint8Array | undefined
}

const isCurrent = ({ key }: CachedMatches, { ref }: SegmentSnapshot): boolean => key === ref.key

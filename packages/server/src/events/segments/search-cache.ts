import type { Mask } from './match-segment.ts'

/** Words that are remembered; one takes a byte at most for each event that was looked at. */
const termsMax = 16

const [unknown, absent, present] = [0, 1, 2]

/**
 * In which events a word was found. To look for one that many have means to open all that chapters keep, and what is not in them to read: who asks
 * again, as a list does that renews itself, waits for what came since.
 */
export class SearchCache {
  readonly #terms = new Map<string, Map<number, CachedMatches>>()

  /** Answers what is known: takes those events out of `open`, and marks in `found` the ones that have the word. */
  read(word: string, segment: SegmentSnapshot, open: Mask, found: Mask): void {
    const known = this.#terms.get(word)?.get(segment.first)
    if (!known || !isCurrent(known, segment)) return
    if (!known.events) {
      open.fill(0)
      return
    }
    for (let i = 0; i < open.length; i += 1) {
      if (!open[i] || known.events[i] === unknown) continue
      open[i] = 0
      found[i] = Number(known.events[i] === present)
    }
  }

  /** Remembers events that were looked at, and which of them have the word. */
  write(word: string, segment: SegmentSnapshot, looked: Mask, found: Mask): void {
    const chapters = this.#terms.get(word) ?? new Map<number, CachedMatches>()
    // The word that was asked for longest ago goes first.
    this.#terms.delete(word)
    this.#terms.set(word, chapters)
    if (this.#terms.size > termsMax) this.#terms.delete(this.#terms.keys().next().value as string)
    const { first, last } = segment
    const count = looked.length
    if (!looked.includes(0) && !found.includes(1)) {
      chapters.set(first, { last, count, events: undefined })
      return
    }
    const before = chapters.get(first)
    const events = (before && isCurrent(before, segment) ? before.events : undefined) ?? new Uint8Array(count)
    chapters.set(first, { last, count, events })
    for (let i = 0; i < count; i += 1) if (looked[i]) events[i] = found[i] ? present : absent
  }
}

/** A chapter by its first event and its last; one that is made anew of what trimming left has fewer in between. */
interface SegmentSnapshot {
  readonly first: number
  readonly last: number
  readonly columns: { readonly positions: Uint32Array }
}

interface CachedMatches {
  readonly last: number
  readonly count: number
  /** None when all were looked at, and no event has the word. */
  readonly events: Uint8Array | undefined
}

const isCurrent = ({ last, count }: CachedMatches, segment: SegmentSnapshot): boolean =>
  last === segment.last && count === segment.columns.positions.length

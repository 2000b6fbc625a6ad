import type { Marks } from './match.ts'

/** Words that are remembered; one takes a byte at most for each event that was looked at. */
const wordsMax = 16

const [unknown, absent, present] = [0, 1, 2]

/**
 * In which events a word was found. To look for one that many have means to open all that chapters keep, and what is not in them to read: who asks
 * again, as a list does that renews itself, waits for what came since.
 */
export class WordFinds {
  readonly #words = new Map<string, Map<number, Looked>>()

  /** Answers what is known: takes those events out of `open`, and marks in `found` the ones that have the word. */
  recall(word: string, edition: Edition, open: Marks, found: Marks): void {
    const known = this.#words.get(word)?.get(edition.first)
    if (!known || !isSame(known, edition)) return
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
  remember(word: string, edition: Edition, looked: Marks, found: Marks): void {
    const chapters = this.#words.get(word) ?? new Map<number, Looked>()
    // The word that was asked for longest ago goes first.
    this.#words.delete(word)
    this.#words.set(word, chapters)
    if (this.#words.size > wordsMax) this.#words.delete(this.#words.keys().next().value as string)
    const { first, last } = edition
    const count = looked.length
    if (!looked.includes(0) && !found.includes(1)) {
      chapters.set(first, { last, count, events: undefined })
      return
    }
    const before = chapters.get(first)
    const events = (before && isSame(before, edition) ? before.events : undefined) ?? new Uint8Array(count)
    chapters.set(first, { last, count, events })
    for (let i = 0; i < count; i += 1) if (looked[i]) events[i] = found[i] ? present : absent
  }
}

/** A chapter by its first event and its last; one that is made anew of what trimming left has fewer in between. */
interface Edition {
  readonly first: number
  readonly last: number
  readonly columns: { readonly positions: Uint32Array }
}

interface Looked {
  readonly last: number
  readonly count: number
  /** None when all were looked at, and no event has the word. */
  readonly events: Uint8Array | undefined
}

const isSame = ({ last, count }: Looked, edition: Edition): boolean => last === edition.last && count === edition.columns.positions.length

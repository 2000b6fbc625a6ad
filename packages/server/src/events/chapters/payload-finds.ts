import type { Marks } from './match.ts'

/** Words that are remembered; one takes a byte for each event that was looked at. */
const wordsMax = 16

const [unknown, absent, present] = [0, 1, 2]

/**
 * In which payloads a word was found. A word that many payloads may have means to read them all, which takes seconds for a million; who asks
 * again, as a list does that renews itself, waits for what came since.
 */
export class PayloadFinds {
  readonly #words = new Map<string, Map<number, Looked>>()

  /** Answers what is known: takes those events out of `open`, and marks in `found` the ones that have the word. */
  recall(word: string, edition: Edition, open: Marks, found: Marks): void {
    const known = this.#words.get(word)?.get(edition.first)
    if (!known || !isSame(known, edition)) return
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
    const before = chapters.get(edition.first)
    const known = before && isSame(before, edition) ? before : { last: edition.last, events: new Uint8Array(looked.length) }
    chapters.set(edition.first, known)
    for (let i = 0; i < looked.length; i += 1) if (looked[i]) known.events[i] = found[i] ? present : absent
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
  readonly events: Uint8Array
}

const isSame = ({ last, events }: Looked, edition: Edition): boolean => last === edition.last && events.length === edition.columns.positions.length

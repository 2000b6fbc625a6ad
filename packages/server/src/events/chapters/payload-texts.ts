import type { Column } from './columns-file.ts'
import { endsOf } from './ends.ts'
import { joined } from './words.ts'

/** Longer ones are in the log alone: one of them would take as much room as a thousand others. */
const lengthMax = 8192

/** Pieces that so many events of a chapter have are kept once, the others with their events. */
const commonFrom = 16

/** No word that is looked for in chapters has these: it lies within one piece. */
const between = /["\\{}[\]]+/
const separator = '"'

const none: readonly number[] = []

/**
 * Gathers the payloads of a chapter, in small letters, cut into pieces at quotes and brackets. Most pieces are keys and values that many events have;
 * which of them an event has repeats too. What is left are its times, ids and numbers.
 */
export class PayloadTexts {
  readonly #numbers = new Map<string, number>()
  /** In how many events a piece is. */
  readonly #counts: number[] = []
  readonly #pieces: (readonly number[])[] = []
  readonly #long: number[] = []

  add(payload: string): void {
    if (payload.length > lengthMax) this.#long.push(this.#pieces.length)
    this.#pieces.push(payload.length > lengthMax ? none : this.#piecesOf(payload))
  }

  #piecesOf(payload: string): number[] {
    const found = new Set<number>()
    for (const piece of payload.split(between)) {
      const number = this.#numbers.get(piece) ?? this.#numbers.size
      if (piece === '' || found.has(number)) continue
      found.add(number)
      if (number === this.#numbers.size) {
        this.#numbers.set(piece, number)
        this.#counts.push(0)
      }
      this.#counts[number] = (this.#counts[number] as number) + 1
    }
    return [...found]
  }

  /** The columns that `PayloadPieces` is read from. */
  make(): Column[] {
    const texts = [...this.#numbers.keys()]
    const isCommon = (piece: number) => (this.#counts[piece] as number) >= commonFrom
    const common = texts.flatMap((_, piece) => (isCommon(piece) ? [piece] : []))
    const places = new Map(common.map((piece, place) => [piece, place]))
    const sets = new Map<string, { number: number; places: number[] }>()
    const setNumbers: number[] = []
    const rare: string[] = []
    for (const pieces of this.#pieces) {
      const its = pieces.filter(isCommon).sort((a, b) => a - b)
      const key = its.join()
      const known = sets.get(key) ?? { number: sets.size, places: its.map((piece) => places.get(piece) as number) }
      sets.set(key, known)
      setNumbers.push(known.number)
      rare.push(pieces.flatMap((piece) => (isCommon(piece) ? [] : [texts[piece] as string])).join(separator))
    }
    const setPlaces = [...sets.values()].map((set) => set.places)
    const commonLines = joined(
      common.map((piece) => texts[piece] as string),
      separator,
    )
    const rareLines = joined(rare, separator)
    return [
      Uint16Array.from(setNumbers),
      endsOf(setPlaces),
      Uint32Array.from(setPlaces.flat()),
      commonLines.ends,
      commonLines.bytes,
      rareLines.ends,
      rareLines.bytes,
      Uint16Array.from(this.#long),
    ]
  }
}

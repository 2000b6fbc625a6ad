import type { Column } from './column-codec.ts'
import { concatenateTexts } from './dictionary.ts'
import { endOffsets } from './ends.ts'

/** Longer ones are in the log alone: one of them would take as much room as a thousand others. */
const lengthMax = 8192

/** Pieces that so many events of a chapter have are kept once, the others with their events. */
const commonEventsMin = 16

/** No word that is looked for in chapters has these: it lies within one piece. */
const delimiters = /["\\{}[\]]+/
const separator = '"'

const noTokens: readonly number[] = []

/**
 * Gathers the payloads of a chapter, in small letters, cut into pieces at quotes and brackets. Most pieces are keys and values that many events have;
 * which of them an event has repeats too. What is left are its times, ids and numbers.
 */
export class PayloadTokenizer {
  readonly #ids = new Map<string, number>()
  /** In how many events a piece is. */
  readonly #counts: number[] = []
  readonly #tokensByEvent: (readonly number[])[] = []
  readonly #longPayloads: number[] = []

  add(payload: string): void {
    if (payload.length > lengthMax) this.#longPayloads.push(this.#tokensByEvent.length)
    this.#tokensByEvent.push(payload.length > lengthMax ? noTokens : this.#tokenize(payload))
  }

  #tokenize(payload: string): number[] {
    const found = new Set<number>()
    for (const piece of payload.split(delimiters)) {
      const number = this.#ids.get(piece) ?? this.#ids.size
      if (piece === '' || found.has(number)) continue
      found.add(number)
      if (number === this.#ids.size) {
        this.#ids.set(piece, number)
        this.#counts.push(0)
      }
      this.#counts[number] = (this.#counts[number] as number) + 1
    }
    return [...found]
  }

  /** The columns that `PayloadPieces` is read from. */
  encode(): Column[] {
    const texts = [...this.#ids.keys()]
    const isCommon = (piece: number) => (this.#counts[piece] as number) >= commonEventsMin
    const common = texts.flatMap((_, piece) => (isCommon(piece) ? [piece] : []))
    const places = new Map(common.map((piece, place) => [piece, place]))
    const sets = new Map<string, { number: number; places: number[] }>()
    const setNumbers: number[] = []
    const rare: string[] = []
    for (const pieces of this.#tokensByEvent) {
      const its = pieces.filter(isCommon).sort((a, b) => a - b)
      const key = its.join()
      const known = sets.get(key) ?? { number: sets.size, places: its.map((piece) => places.get(piece) as number) }
      sets.set(key, known)
      setNumbers.push(known.number)
      rare.push(pieces.flatMap((piece) => (isCommon(piece) ? [] : [texts[piece] as string])).join(separator))
    }
    const setPlaces = [...sets.values()].map((set) => set.places)
    const commonLines = concatenateTexts(
      common.map((piece) => texts[piece] as string),
      separator,
    )
    const rareLines = concatenateTexts(rare, separator)
    return [
      Uint16Array.from(setNumbers),
      endOffsets(setPlaces),
      Uint32Array.from(setPlaces.flat()),
      commonLines.ends,
      commonLines.bytes,
      rareLines.ends,
      rareLines.bytes,
      Uint16Array.from(this.#longPayloads),
    ]
  }
}

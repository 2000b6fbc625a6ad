import { type Column, endOffsets } from './column-codec.ts'
import { concatenateTexts } from './dictionary.ts'

/** Longer payloads are only in the rows: one of them would take as much space as a thousand others. */
const lengthMax = 8192

/** A token that is in this many events of a segment is stored once; others are stored with their event. */
const commonEventsMin = 16

/** Search terms with these characters are searched in the rows, so a term is always within one token. */
const delimiters = /["\\{}[\]]+/
const separator = '"'

const noTokens: readonly number[] = []

/**
 * Splits the lower-case payloads of a segment into tokens at quotes and brackets. Most tokens are keys and values that many events share, and the sets of
 * shared tokens repeat too. The rest are times, ids and numbers.
 */
export class PayloadTokenizer {
  readonly #ids = new Map<string, number>()
  /** The number of events that contain a token. */
  readonly #counts: number[] = []
  readonly #tokensByEvent: (readonly number[])[] = []
  readonly #longPayloads: number[] = []

  add(payload: string): void {
    if (payload.length > lengthMax) this.#longPayloads.push(this.#tokensByEvent.length)
    this.#tokensByEvent.push(payload.length > lengthMax ? noTokens : this.#tokenize(payload))
  }

  #tokenize(payload: string): number[] {
    const found = new Set<number>()
    for (const token of payload.split(delimiters)) {
      const id = this.#ids.get(token) ?? this.#ids.size
      if (token === '' || found.has(id)) continue
      found.add(id)
      if (id === this.#ids.size) {
        this.#ids.set(token, id)
        this.#counts.push(0)
      }
      this.#counts[id] = (this.#counts[id] as number) + 1
    }
    return [...found]
  }

  /** The columns that `PayloadTokens` is decoded from. */
  encode(): Column[] {
    const texts = [...this.#ids.keys()]
    const isCommon = (token: number) => (this.#counts[token] as number) >= commonEventsMin
    const common = texts.flatMap((_, token) => (isCommon(token) ? [token] : []))
    const lineOf = new Map(common.map((token, line) => [token, line]))
    const sets = new Map<string, { id: number; lines: number[] }>()
    const setIds: number[] = []
    const rare: string[] = []
    for (const tokens of this.#tokensByEvent) {
      const commonTokens = tokens.filter(isCommon).sort((a, b) => a - b)
      const key = commonTokens.join()
      const set = sets.get(key) ?? { id: sets.size, lines: commonTokens.map((token) => lineOf.get(token) as number) }
      sets.set(key, set)
      setIds.push(set.id)
      rare.push(tokens.flatMap((token) => (isCommon(token) ? [] : [texts[token] as string])).join(separator))
    }
    const setLines = [...sets.values()].map(({ lines }) => lines)
    const commonLines = concatenateTexts(
      common.map((token) => texts[token] as string),
      separator,
    )
    const rareLines = concatenateTexts(rare, separator)
    return [
      Uint16Array.from(setIds),
      endOffsets(setLines),
      Uint32Array.from(setLines.flat()),
      commonLines.ends,
      commonLines.bytes,
      rareLines.ends,
      rareLines.bytes,
      Uint16Array.from(this.#longPayloads),
    ]
  }
}

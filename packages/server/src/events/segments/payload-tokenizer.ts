import { type Column, endOffsets } from './column-codec.ts'
import { concatenateTexts } from './dictionary.ts'

/** Longer payloads are only in the rows: one of them would take as much space as a thousand others. */
const lengthMax = 8192

/** A token that is in this many events of a segment is stored once; others are stored with their event. */
const commonEventsMin = 16

/** Search terms with these characters are searched in the rows, so a term is always within one token. */
const delimiters = /["\\{}[\]]+/
const separator = '"'

/** The distinct tokens of a payload, in their order. */
export type PayloadTokens = readonly number[]

const longPayload: PayloadTokens = []

/**
 * Splits the lower-case payloads of a segment into tokens at quotes and brackets. Most tokens are keys and values that many events share, and the sets of
 * shared tokens repeat too. The rest are times, ids and numbers.
 */
export class PayloadTokenizer {
  readonly #ids = new Map<string, number>()
  /** The number of events that contain a token. */
  readonly #counts: number[] = []
  readonly #tokensByEvent: PayloadTokens[] = []
  readonly #longPayloads: number[] = []

  /** Returns the tokens, for `repeat`. */
  add(payload: string): PayloadTokens {
    const tokens = payload.length > lengthMax ? longPayload : this.#tokenize(payload)
    this.repeat(tokens)
    return tokens
  }

  /** Adds an event with the payload of an earlier one. */
  repeat(tokens: PayloadTokens): void {
    if (tokens === longPayload) this.#longPayloads.push(this.#tokensByEvent.length)
    for (const token of tokens) this.#counts[token] = (this.#counts[token] as number) + 1
    this.#tokensByEvent.push(tokens)
  }

  #tokenize(payload: string): PayloadTokens {
    const found = new Set<number>()
    for (const token of payload.split(delimiters)) {
      if (token === '') continue
      let id = this.#ids.get(token)
      if (id === undefined) {
        id = this.#ids.size
        this.#ids.set(token, id)
        this.#counts.push(0)
      }
      found.add(id)
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
    const encode = (tokens: PayloadTokens) => {
      const commonTokens = tokens.filter(isCommon).sort((a, b) => a - b)
      const key = commonTokens.join()
      const set = sets.get(key) ?? { id: sets.size, lines: commonTokens.map((token) => lineOf.get(token) as number) }
      sets.set(key, set)
      const rareTokens = tokens.filter((token) => !isCommon(token))
      return { setId: set.id, rare: rareTokens.map((token) => texts[token] as string).join(separator) }
    }
    const encoded = new Map<PayloadTokens, ReturnType<typeof encode>>()
    const setIds: number[] = []
    const rare: string[] = []
    for (const tokens of this.#tokensByEvent) {
      const made = encoded.get(tokens) ?? encode(tokens)
      encoded.set(tokens, made)
      setIds.push(made.setId)
      rare.push(made.rare)
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

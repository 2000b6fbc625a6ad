import type { ResourceLabels } from '../../lib/event-record.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import type { EventRow } from '../store.ts'
import { encodeColumns, endOffsets } from './column-codec.ts'
import { buildDictionary, concatenateTexts, type DictionaryData } from './dictionary.ts'
import { blockSizeOf, NgramFilter } from './ngram-filter.ts'
import { PayloadTokenizer, type PayloadTokens } from './payload-tokenizer.ts'
import { partNames, type SegmentBounds, type SegmentPartName } from './segment.ts'
import { textKey } from './sliced-filter.ts'
import { encodeSummary } from './summary.ts'

/** Must stay below 65,536, because event columns use two bytes. */
export const segmentEventsMax = 4096

const knownPayloadsMax = 200
const knownPayloadLengthMax = 1024

interface KnownPayload {
  readonly tokens: PayloadTokens
  /** The last block of the filter that contains it. */
  readonly block: number
}

/** Collects events in log order and encodes them as columns. */
export class SegmentWriter {
  readonly #positions: number[] = []
  readonly #occurred: number[] = []
  readonly #names = new Interner()
  readonly #resources = new Interner()
  readonly #displayNames = new Interner()
  readonly #labelSets = new Interner()
  readonly #relatedLists = new Interner()
  readonly #links = new Interner()
  readonly #setLabels: ResourceLabels[] = []
  readonly #linkLabels: ResourceLabels[] = []
  readonly #relatedListLinks: number[][] = []
  /** Payloads that are not in `#ngrams` and `#tokenizer` yet. */
  #payloads: string[] = []
  readonly #ngrams: NgramFilter
  readonly #tokenizer = new PayloadTokenizer()
  /** How many payloads are in them. */
  #analyzed = 0
  /** Many events have the same payload: those of state changes name the two states. */
  readonly #knownPayloads = new Map<string, KnownPayload>()
  /** The dictionary of the labels of primary resources, for a number of events. */
  #labels: { readonly count: number; readonly dictionary: DictionaryData; readonly lines: SearchLineData } | undefined

  constructor(size: number) {
    this.#ngrams = new NgramFilter(blockSizeOf(size))
  }

  get count(): number {
    return this.#positions.length
  }

  add({ position, occurred, event, resource_id, resource, related, payload }: EventRow): void {
    this.#payloads.push(payload)
    this.#positions.push(position)
    this.#occurred.push(occurred)
    this.#names.add(event)
    this.#resources.add(resource_id)
    if (this.#labelSets.add(resource)) this.#setLabels.push(JSON.parse(resource))
    const labels = this.#setLabels[this.#labelSets.lastId] as ResourceLabels
    this.#displayNames.add(displayNameOf(labels) ?? noDisplayName)
    if (this.#relatedLists.add(related))
      this.#relatedListLinks.push((JSON.parse(related) as ResourceLabels[]).map((labels) => this.#internLink(labels)))
  }

  #internLink(labels: ResourceLabels): number {
    if (this.#links.add(JSON.stringify(labels))) this.#linkLabels.push(labels)
    return this.#links.lastId
  }

  /** Prepares the search in new payloads: ten microseconds per event. Only text search needs it, so a segment in memory does it late. */
  analyzePayloads(): void {
    for (const payload of this.#payloads) {
      const block = this.#ngrams.blockOf(this.#analyzed)
      const known = this.#knownPayloads.get(payload)
      if (known) this.#tokenizer.repeat(known.tokens)
      if (known?.block !== block) {
        const text = payload.toLowerCase()
        this.#ngrams.addPayload(this.#analyzed, text)
        this.#rememberPayload(payload, { tokens: known?.tokens ?? this.#tokenizer.add(text), block })
      }
      this.#analyzed += 1
    }
    this.#payloads = []
  }

  #rememberPayload(payload: string, analyzed: KnownPayload): void {
    if (payload.length > knownPayloadLengthMax) return
    if (this.#knownPayloads.size >= knownPayloadsMax) this.#knownPayloads.clear()
    this.#knownPayloads.set(payload, analyzed)
  }

  bounds(): SegmentBounds {
    const first = this.#positions[0] ?? 0
    let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const occurred of this.#occurred) {
      if (occurred < oldest) oldest = occurred
      if (occurred > newest) newest = occurred
    }
    return { first, last: this.#positions.at(-1) ?? 0, count: this.count, oldest, newest }
  }

  /** Encodes all parts for storage. A full segment takes about 50 ms, in time slices. No event may be added meanwhile. */
  async encode(): Promise<Record<SegmentPartName, Uint8Array>> {
    const slice = new TimeSlice()
    const parts: Partial<Record<SegmentPartName, Uint8Array>> = {}
    for (const name of partNames) {
      parts[name] = this.encodePart(name)
      if (slice.isExhausted) await slice.next()
    }
    return parts as Record<SegmentPartName, Uint8Array>
  }

  /** Encodes one part (decoded by `segment.ts`). */
  encodePart(name: SegmentPartName): Uint8Array {
    return this.#encoders[name]()
  }

  readonly #encoders: Readonly<Record<SegmentPartName, () => Uint8Array>> = {
    columns: () => this.#encodeColumns(),
    links: () => {
      const dictionary = buildDictionary(labelTexts(this.#linkLabels))
      const lines = toSearchLines(dictionary.texts)
      return encodeColumns([...encodeLabelPairs(this.#linkLabels, dictionary), dictionary.ends, dictionary.bytes, lines.ends, lines.bytes])
    },
    subjects: () => {
      const { dictionary } = this.#labelDictionary()
      const sets = Uint16Array.from(this.#labelSets.ids)
      return encodeColumns([sets, ...encodeLabelPairs(this.#setLabels, dictionary), dictionary.ends, dictionary.bytes])
    },
    lines: () => {
      const { lines } = this.#labelDictionary()
      return encodeColumns([lines.ends, lines.bytes])
    },
    payloads: () => {
      this.analyzePayloads()
      return encodeColumns(this.#tokenizer.encode())
    },
    grams: () => {
      this.analyzePayloads()
      const { blockSize, payloads } = this.#ngrams
      const ngrams = new NgramFilter(blockSize, payloads)
      for (const line of this.#labelDictionary().lines.texts) ngrams.addLabel(line)
      return encodeColumns([ngrams.payloads, ngrams.labels, Uint32Array.of(blockSize)])
    },
    summary: () => encodeSummary(this.#names.texts, this.#names.ids, this.#occurred),
    resources: () => {
      const related = this.#linkLabels.map((labels) => labels['prefect.resource.id'] as string)
      return encodeColumns([Uint32Array.from(new Set([...this.#resources.texts, ...related]), textKey)])
    },
  }

  #encodeColumns(): Uint8Array {
    const first = this.#positions[0] ?? 0
    const ids = this.#linkLabels.map((labels) => labels['prefect.resource.id'] as string)
    const roles = this.#linkLabels.map((labels) => labels['prefect.resource.role'] as string)
    const displayNames = this.#displayNames.texts
    const dictionary = buildDictionary([...this.#names.texts, ...this.#resources.texts, ...displayNames, ...ids, ...roles])
    const ordinalsOf = (texts: readonly string[]) => Uint32Array.from(texts, dictionary.ordinalOf)
    return encodeColumns([
      Uint32Array.from(this.#positions, (position) => position - first),
      Float64Array.from(this.#occurred),
      Uint16Array.from(this.#names.ids),
      Uint16Array.from(this.#resources.ids),
      Uint16Array.from(this.#displayNames.ids),
      Uint16Array.from(this.#relatedLists.ids),
      ordinalsOf(this.#names.texts),
      ordinalsOf(this.#resources.texts),
      Uint32Array.from(displayNames, (name) => (name === noDisplayName ? 0 : dictionary.ordinalOf(name) + 1)),
      endOffsets(this.#relatedListLinks),
      Uint32Array.from(this.#relatedListLinks.flat()),
      ordinalsOf(ids),
      ordinalsOf(roles),
      dictionary.ends,
      dictionary.bytes,
    ])
  }

  #labelDictionary(): { readonly dictionary: DictionaryData; readonly lines: SearchLineData } {
    if (this.#labels?.count === this.count) return this.#labels
    const dictionary = buildDictionary(labelTexts(this.#setLabels))
    this.#labels = { count: this.count, dictionary, lines: toSearchLines(dictionary.texts) }
    return this.#labels
  }
}

interface SearchLineData {
  readonly texts: readonly string[]
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

function toSearchLines(strings: readonly string[]): SearchLineData {
  const texts = strings.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase())
  return { texts, ...concatenateTexts(texts, '\n') }
}

/** The display name of a resource, if any. */
export const displayNameOf = (labels: ResourceLabels): string | null => labels['prefect.resource.name'] ?? labels['prefect.name'] ?? null

/** Placeholder for resources without a display name. A resource with this name counts as having none. */
const noDisplayName = '\u0000'

/** Assigns ids to texts in order of first use, and records the id of each added text. */
class Interner {
  readonly ids: number[] = []
  readonly #idByText = new Map<string, number>()

  get texts(): string[] {
    return [...this.#idByText.keys()]
  }

  get lastId(): number {
    return this.ids.at(-1) as number
  }

  /** True when the text is new. */
  add(text: string): boolean {
    const id = this.#idByText.get(text)
    this.ids.push(id ?? this.#idByText.size)
    if (id === undefined) this.#idByText.set(text, this.#idByText.size)
    return id === undefined
  }
}

function* labelTexts(all: readonly ResourceLabels[]): Iterable<string> {
  for (const labels of all) {
    for (const label in labels) {
      yield label
      yield labels[label] as string
    }
  }
}

function encodeLabelPairs(all: readonly ResourceLabels[], dictionary: { ordinalOf(text: string): number; texts: readonly string[] }) {
  const pairs: number[] = []
  const ends = Uint32Array.from(all, (labels) => {
    for (const label in labels) pairs.push(dictionary.ordinalOf(label), dictionary.ordinalOf(labels[label] as string))
    return pairs.length
  })
  return [ends, dictionary.texts.length <= 0x10000 ? Uint16Array.from(pairs) : Uint32Array.from(pairs)] as const
}

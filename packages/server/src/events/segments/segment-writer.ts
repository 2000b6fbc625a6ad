import type { ResourceLabels } from '../../lib/event-record.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import type { EventRow } from '../store.ts'
import { encodeColumns, endOffsets } from './column-codec.ts'
import { buildDictionary, concatenateTexts } from './dictionary.ts'
import { blockCount, NgramFilter } from './ngram-filter.ts'
import { PayloadTokenizer } from './payload-tokenizer.ts'
import type { SegmentBounds, SegmentPartName } from './segment.ts'

/** Must stay below 65,536, because event columns use two bytes. */
export const segmentEventsMax = 4096

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
  readonly #ngrams = new NgramFilter()
  readonly #payloads = new PayloadTokenizer()
  readonly #blockSize: number

  constructor(size: number) {
    this.#blockSize = blockSizeOf(size)
  }

  get count(): number {
    return this.#positions.length
  }

  add({ position, occurred, event, resource_id, resource, related, payload }: EventRow): void {
    const searchText = payload.toLowerCase()
    this.#ngrams.addPayload(Math.floor(this.count / this.#blockSize), searchText)
    this.#payloads.add(searchText)
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

  bounds(): SegmentBounds {
    const first = this.#positions[0] ?? 0
    let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const occurred of this.#occurred) {
      if (occurred < oldest) oldest = occurred
      if (occurred > newest) newest = occurred
    }
    return { first, last: this.#positions.at(-1) ?? 0, count: this.count, oldest, newest }
  }

  /** Encodes the parts for storage (decoded by `segment.ts`). A full segment takes about 50 ms, in time slices. Undefined when events were added meanwhile. */
  async encode(): Promise<Record<SegmentPartName, Uint8Array> | undefined> {
    const { count } = this
    const slice = new TimeSlice()
    const steps = this.#encodeSteps()
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      if (slice.isExhausted) await slice.next()
      if (this.count !== count) return undefined
    }
  }

  *#encodeSteps(): Generator<undefined, Record<SegmentPartName, Uint8Array>, undefined> {
    const first = this.#positions[0] ?? 0
    const links = this.#linkLabels
    const ids = links.map((labels) => labels['prefect.resource.id'] as string)
    const roles = links.map((labels) => labels['prefect.resource.role'] as string)
    const displayNames = this.#displayNames.texts
    const dictionary = buildDictionary([...this.#names.texts, ...this.#resources.texts, ...displayNames, ...ids, ...roles])
    yield
    const ordinalsOf = (texts: readonly string[]) => Uint32Array.from(texts, dictionary.ordinalOf)
    const linkDictionary = buildDictionary(labelTexts(links))
    yield
    const linkLines = toSearchLines(linkDictionary.texts)
    yield
    const labelDictionary = buildDictionary(labelTexts(this.#setLabels))
    yield
    const lines = toSearchLines(labelDictionary.texts)
    yield
    const ngrams = new NgramFilter(this.#ngrams.payloads)
    for (const line of lines.texts) ngrams.addLabel(line)
    yield
    const subjects = [
      Uint16Array.from(this.#labelSets.ids),
      ...encodeLabelPairs(this.#setLabels, labelDictionary),
      labelDictionary.ends,
      labelDictionary.bytes,
    ]
    yield
    const payloads = encodeColumns(this.#payloads.encode())
    yield
    return {
      columns: encodeColumns([
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
      ]),
      links: encodeColumns([...encodeLabelPairs(links, linkDictionary), linkDictionary.ends, linkDictionary.bytes, linkLines.ends, linkLines.bytes]),
      subjects: encodeColumns(subjects),
      lines: encodeColumns([lines.ends, lines.bytes]),
      payloads,
      grams: encodeColumns([ngrams.payloads, ngrams.labels]),
    }
  }
}

function toSearchLines(strings: readonly string[]) {
  const texts = strings.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase())
  return { texts, ...concatenateTexts(texts, '\n') }
}

export const blockSizeOf = (size: number): number => Math.ceil(size / blockCount)

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
  const pairs = all.map((labels) => Object.entries(labels).flatMap(([label, value]) => [dictionary.ordinalOf(label), dictionary.ordinalOf(value)]))
  const ends = endOffsets(pairs)
  const flat = pairs.flat()
  return [ends, dictionary.texts.length <= 0x10000 ? Uint16Array.from(flat) : Uint32Array.from(flat)] as const
}

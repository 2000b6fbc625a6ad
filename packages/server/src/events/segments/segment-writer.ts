import type { ResourceLabels } from '../../lib/event-record.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import type { EventRow } from '../store.ts'
import { encodeColumns } from './column-codec.ts'
import { buildDictionary, concatenateTexts } from './dictionary.ts'
import { endOffsets } from './ends.ts'
import { blockCount, NgramFilter } from './ngram-filter.ts'
import { PayloadTokenizer } from './payload-tokenizer.ts'
import type { SegmentBounds, SegmentPartName } from './segment.ts'

/** Numbers of event columns have two bytes: no chapter may hold more. */
export const segmentEventsMax = 4096

/** Gathers events in the order of the log and makes columns of them. */
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

  /** For so many events. */
  constructor(size: number) {
    this.#blockSize = blockSizeOf(size)
  }

  get count(): number {
    return this.#positions.length
  }

  add({ position, occurred, event, resource_id, resource, related, payload }: EventRow): void {
    const searched = payload.toLowerCase()
    this.#ngrams.addPayload(Math.floor(this.count / this.#blockSize), searched)
    this.#payloads.add(searched)
    this.#positions.push(position)
    this.#occurred.push(occurred)
    this.#names.add(event)
    this.#resources.add(resource_id)
    if (this.#labelSets.add(resource)) this.#setLabels.push(JSON.parse(resource))
    const labels = this.#setLabels[this.#labelSets.lastId] as ResourceLabels
    this.#displayNames.add(displayNameOf(labels) ?? noDisplayName)
    if (this.#relatedLists.add(related)) this.#relatedListLinks.push((JSON.parse(related) as ResourceLabels[]).map((one) => this.#internLink(one)))
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

  /** The parts as they are kept; `chapter.ts` reads them. A full chapter takes some 50 ms, in slices. Undefined when events were added meanwhile. */
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
    const calls = this.#displayNames.texts
    const dictionary = buildDictionary([...this.#names.texts, ...this.#resources.texts, ...calls, ...ids, ...roles])
    yield
    const places = (texts: readonly string[]) => Uint32Array.from(texts, dictionary.ordinalOf)
    const linkDictionary = buildDictionary(labelTexts(links))
    yield
    const linkLines = toSearchLines(linkDictionary.texts)
    yield
    const labelDictionary = buildDictionary(labelTexts(this.#setLabels))
    yield
    const lines = toSearchLines(labelDictionary.texts)
    yield
    const grams = new NgramFilter(this.#ngrams.payloads)
    for (const line of lines.texts) grams.addLabel(line)
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
        places(this.#names.texts),
        places(this.#resources.texts),
        Uint32Array.from(calls, (call) => (call === noDisplayName ? 0 : dictionary.ordinalOf(call) + 1)),
        endOffsets(this.#relatedListLinks),
        Uint32Array.from(this.#relatedListLinks.flat()),
        places(ids),
        places(roles),
        dictionary.ends,
        dictionary.bytes,
      ]),
      links: encodeColumns([...encodeLabelPairs(links, linkDictionary), linkDictionary.ends, linkDictionary.bytes, linkLines.ends, linkLines.bytes]),
      subjects: encodeColumns(subjects),
      lines: encodeColumns([lines.ends, lines.bytes]),
      payloads,
      grams: encodeColumns([grams.payloads, grams.labels]),
    }
  }
}

function toSearchLines(words: readonly string[]) {
  const texts = words.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase())
  return { texts, ...concatenateTexts(texts, '\n') }
}

export const blockSizeOf = (size: number): number => Math.ceil(size / blockCount)

/** What a thing is called, if it is. */
export const displayNameOf = (labels: ResourceLabels): string | null => labels['prefect.resource.name'] ?? labels['prefect.name'] ?? null

/** Stands for having no name; whoever is called just this has none. */
const noDisplayName = '\u0000'

/** Texts by the order in which they first came, and which of them came when. */
class Interner {
  readonly ids: number[] = []
  readonly #known = new Map<string, number>()

  get texts(): string[] {
    return [...this.#known.keys()]
  }

  get lastId(): number {
    return this.ids.at(-1) as number
  }

  /** Whether it came for the first time. */
  add(text: string): boolean {
    const known = this.#known.get(text)
    this.ids.push(known ?? this.#known.size)
    if (known === undefined) this.#known.set(text, this.#known.size)
    return known === undefined
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

function encodeLabelPairs(all: readonly ResourceLabels[], words: { ordinalOf(text: string): number; texts: readonly string[] }) {
  const pairs = all.map((labels) => Object.entries(labels).flatMap(([label, value]) => [words.ordinalOf(label), words.ordinalOf(value)]))
  const ends = endOffsets(pairs)
  const flat = pairs.flat()
  return [ends, words.texts.length <= 0x10000 ? Uint16Array.from(flat) : Uint32Array.from(flat)] as const
}

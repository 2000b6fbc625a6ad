import type { ResourceLabels } from '../../lib/event-record.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import type { EventRow } from '../store.ts'
import type { Bounds, PartName } from './chapter.ts'
import { packColumns } from './columns-file.ts'
import { endsOf } from './ends.ts'
import { blocks, Grams } from './grams.ts'
import { PayloadTexts } from './payload-texts.ts'
import { joined, sortedTexts } from './words.ts'

/** Numbers of event columns have two bytes: no chapter may hold more. */
export const eventsMax = 4096

/** Gathers events in the order of the log and makes columns of them. */
export class ChapterMaker {
  readonly #positions: number[] = []
  readonly #occurred: number[] = []
  readonly #names = new Numbered()
  readonly #subjects = new Numbered()
  readonly #calls = new Numbered()
  readonly #sets = new Numbered()
  readonly #relateds = new Numbered()
  readonly #links = new Numbered()
  readonly #labelsOfSets: ResourceLabels[] = []
  readonly #labelsOfLinks: ResourceLabels[] = []
  readonly #linksOfRelateds: number[][] = []
  readonly #grams = new Grams()
  readonly #payloads = new PayloadTexts()
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
    this.#grams.addPayload(Math.floor(this.count / this.#blockSize), searched)
    this.#payloads.add(searched)
    this.#positions.push(position)
    this.#occurred.push(occurred)
    this.#names.add(event)
    this.#subjects.add(resource_id)
    if (this.#sets.add(resource)) this.#labelsOfSets.push(JSON.parse(resource))
    const labels = this.#labelsOfSets[this.#sets.last] as ResourceLabels
    this.#calls.add(callOf(labels) ?? noCall)
    if (this.#relateds.add(related)) this.#linksOfRelateds.push((JSON.parse(related) as ResourceLabels[]).map((one) => this.#linkOf(one)))
  }

  #linkOf(labels: ResourceLabels): number {
    if (this.#links.add(JSON.stringify(labels))) this.#labelsOfLinks.push(labels)
    return this.#links.last
  }

  bounds(): Bounds {
    const first = this.#positions[0] ?? 0
    let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const occurred of this.#occurred) {
      if (occurred < oldest) oldest = occurred
      if (occurred > newest) newest = occurred
    }
    return { first, last: this.#positions.at(-1) ?? 0, count: this.count, oldest, newest }
  }

  /** The parts as they are kept; `chapter.ts` reads them. A full chapter takes some 50 ms, in slices. Undefined when events were added meanwhile. */
  async make(): Promise<Record<PartName, Uint8Array> | undefined> {
    const { count } = this
    const slice = new TimeSlice()
    const steps = this.#steps()
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      if (slice.isExhausted) await slice.next()
      if (this.count !== count) return undefined
    }
  }

  *#steps(): Generator<undefined, Record<PartName, Uint8Array>, undefined> {
    const first = this.#positions[0] ?? 0
    const links = this.#labelsOfLinks
    const ids = links.map((labels) => labels['prefect.resource.id'] as string)
    const roles = links.map((labels) => labels['prefect.resource.role'] as string)
    const calls = this.#calls.texts
    const words = sortedTexts([...this.#names.texts, ...this.#subjects.texts, ...calls, ...ids, ...roles])
    yield
    const places = (texts: readonly string[]) => Uint32Array.from(texts, words.placeOf)
    const linkWords = sortedTexts(labelTexts(links))
    yield
    const linkLines = linesOf(linkWords.texts)
    yield
    const labelWords = sortedTexts(labelTexts(this.#labelsOfSets))
    yield
    const lines = linesOf(labelWords.texts)
    yield
    const grams = new Grams(this.#grams.payloads)
    for (const line of lines.texts) grams.addLabel(line)
    yield
    const subjects = [Uint16Array.from(this.#sets.numbers), ...pairsOf(this.#labelsOfSets, labelWords), labelWords.ends, labelWords.bytes]
    yield
    const payloads = packColumns(this.#payloads.make())
    yield
    return {
      columns: packColumns([
        Uint32Array.from(this.#positions, (position) => position - first),
        Float64Array.from(this.#occurred),
        Uint16Array.from(this.#names.numbers),
        Uint16Array.from(this.#subjects.numbers),
        Uint16Array.from(this.#calls.numbers),
        Uint16Array.from(this.#relateds.numbers),
        places(this.#names.texts),
        places(this.#subjects.texts),
        Uint32Array.from(calls, (call) => (call === noCall ? 0 : words.placeOf(call) + 1)),
        endsOf(this.#linksOfRelateds),
        Uint32Array.from(this.#linksOfRelateds.flat()),
        places(ids),
        places(roles),
        words.ends,
        words.bytes,
      ]),
      links: packColumns([...pairsOf(links, linkWords), linkWords.ends, linkWords.bytes, linkLines.ends, linkLines.bytes]),
      subjects: packColumns(subjects),
      lines: packColumns([lines.ends, lines.bytes]),
      payloads,
      grams: packColumns([grams.payloads, grams.labels]),
    }
  }
}

function linesOf(words: readonly string[]) {
  const texts = words.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase())
  return { texts, ...joined(texts, '\n') }
}

export const blockSizeOf = (size: number): number => Math.ceil(size / blocks)

/** What a thing is called, if it is. */
export const callOf = (labels: ResourceLabels): string | null => labels['prefect.resource.name'] ?? labels['prefect.name'] ?? null

/** Stands for having no name; whoever is called just this has none. */
const noCall = '\u0000'

/** Texts by the order in which they first came, and which of them came when. */
class Numbered {
  readonly numbers: number[] = []
  readonly #known = new Map<string, number>()

  get texts(): string[] {
    return [...this.#known.keys()]
  }

  get last(): number {
    return this.numbers.at(-1) as number
  }

  /** Whether it came for the first time. */
  add(text: string): boolean {
    const known = this.#known.get(text)
    this.numbers.push(known ?? this.#known.size)
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

function pairsOf(all: readonly ResourceLabels[], words: { placeOf(text: string): number; texts: readonly string[] }) {
  const pairs = all.map((labels) => Object.entries(labels).flatMap(([label, value]) => [words.placeOf(label), words.placeOf(value)]))
  const ends = endsOf(pairs)
  const flat = pairs.flat()
  return [ends, words.texts.length <= 0x10000 ? Uint16Array.from(flat) : Uint32Array.from(flat)] as const
}

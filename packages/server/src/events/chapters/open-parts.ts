import { type ChapterParts, type PartName, partNames, readChapterPart } from './chapter.ts'

/** What is kept in memory at most: all of a million events but for the lines that are searched. */
const bytesMax = 160 * 1024 * 1024

/** What is let go first: whatever fewest filters need. */
const leastNeeded: readonly PartName[] = ['payloads', 'lines', 'subjects', 'grams', 'links', 'columns']

/** Which chapter, and as it was when: it is another when events of it were trimmed, or when it has grown. */
interface Edition {
  readonly first: number
  readonly last: number
  readonly version: number
}

interface OpenPart<T> {
  readonly last: number
  readonly version: number
  readonly bytes: number
  readonly part: T
}

/** Parts of chapters that were read lately. */
export class OpenParts {
  readonly #parts: Record<PartName, Map<number, OpenPart<unknown>>>
  readonly #left = new Map<number, OpenPart<Uint8Array>>()
  #bytes = 0

  constructor() {
    this.#parts = Object.fromEntries(partNames.map((name) => [name, new Map()])) as unknown as Record<PartName, Map<number, OpenPart<unknown>>>
  }

  get<N extends PartName>(edition: Edition, name: N): ChapterParts[N] | undefined {
    return current(this.#parts[name].get(edition.first), edition) as ChapterParts[N] | undefined
  }

  /** Undefined when there are no bytes, or such as cannot be read. */
  add<N extends PartName>({ first, last, version }: Edition, name: N, bytes: Uint8Array | undefined): ChapterParts[N] | undefined {
    const part = bytes && readChapterPart(name, bytes)
    if (!part) return undefined
    this.#drop(name, first)
    this.#parts[name].set(first, { last, version, bytes: bytes.byteLength, part })
    this.#bytes += bytes.byteLength
    this.#makeRoom()
    return part
  }

  addAll(edition: Edition, made: Record<PartName, Uint8Array>): Partial<ChapterParts> {
    return Object.fromEntries(partNames.map((name) => [name, this.add(edition, name, made[name])])) as Partial<ChapterParts>
  }

  leftOf(edition: Edition): Uint8Array | undefined {
    return current(this.#left.get(edition.first), edition)
  }

  addLeft({ first, last, version }: Edition, left: Uint8Array): void {
    this.#left.set(first, { last, version, bytes: 0, part: left })
  }

  /** Lets go of chapters that are no more. */
  forgetOthers(editions: readonly Edition[]): void {
    const known = new Set(editions.map(({ first }) => first))
    for (const name of partNames) for (const first of this.#parts[name].keys()) if (!known.has(first)) this.#drop(name, first)
    for (const first of this.#left.keys()) if (!known.has(first)) this.#left.delete(first)
  }

  /** The oldest events go first: what is new is asked for most, and whoever asks for all of them finds some of it here. */
  #makeRoom(): void {
    for (const name of leastNeeded) {
      while (this.#bytes > bytesMax && this.#parts[name].size > 0) this.#drop(name, Math.min(...this.#parts[name].keys()))
    }
  }

  #drop(name: PartName, first: number): void {
    this.#bytes -= this.#parts[name].get(first)?.bytes ?? 0
    this.#parts[name].delete(first)
  }
}

const current = <T>(known: OpenPart<T> | undefined, { last, version }: Edition): T | undefined =>
  known && known.version === version && known.last === last ? known.part : undefined

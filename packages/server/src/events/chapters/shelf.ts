import { TimeSlice } from '../../lib/time-slice.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { Db } from '../../storage/database.ts'
import { readEventsAfter } from '../cursor.ts'
import type { Range } from '../where.ts'
import type { Bounds, ChapterParts, PartName } from './chapter.ts'
import { readChapters, readLeft, readPart, readTrims } from './chapter-store.ts'
import { ChapterMaker, eventsMax } from './make-chapter.ts'
import type { Chapter, ChapterPlace } from './open-chapter.ts'
import { OpenParts } from './open-parts.ts'
import { SubjectNumbers } from './subject-numbers.ts'
import { WordFinds } from './word-finds.ts'

/** Chapters that are opened together. */
const chaptersAtOnce = 16
/** Rows that are read in one query to make a chapter of: some milliseconds. */
const rowsAtOnce = 250
/** Ids of a million resources. With more of them, and with those of trimmed events, numbers are given anew. */
const idBytesMax = 64 * 1024 * 1024

/**
 * All chapters of a log: those that are kept in the database, and those of the events that came since, which are made here as they are asked for.
 * Whoever asks sees every event that was committed before.
 */
export class Shelf {
  readonly size: number
  readonly finds = new WordFinds()
  readonly #db: Db
  readonly #open = new OpenParts()
  #places: readonly ChapterPlace[] = []
  /** Whole chapters that are not kept yet, and the one that is being filled. */
  #recent: ChapterPlace[] = []
  #filling: ChapterMaker
  #trims = -1
  #subjectNumbers = new SubjectNumbers()
  readonly #making = new Map<string, Promise<Record<PartName, Uint8Array> | undefined>>()
  #running: Promise<void> | undefined
  #waiting: Promise<void> | undefined

  constructor(db: Db, size = eventsMax) {
    this.#db = db
    this.size = size
    this.#filling = new ChapterMaker(size)
  }

  /** The chapters that reach into a range, in the order of a list: whoever has found enough stops asking. */
  async *open(range: Range, order: 'ASC' | 'DESC', needs: readonly PartName[]): AsyncGenerator<Chapter> {
    await this.#refresh()
    const places = this.#places.filter(({ oldest, newest }) => newest >= range.since && oldest <= range.until)
    if (order === 'DESC') places.sort((a, b) => b.newest - a.newest)
    else places.sort((a, b) => a.oldest - b.oldest)
    const slice = new TimeSlice()
    for (let from = 0; from < places.length; from += chaptersAtOnce) {
      for (const chapter of await this.#chaptersOf(places.slice(from, from + chaptersAtOnce), needs)) {
        yield chapter
        // Whoever asks has looked into the chapter by now.
        if (slice.isExhausted) await slice.next()
      }
      await slice.next()
    }
  }

  /** Numbers to put together by what chapters tell of subjects; the same ones for a whole request. */
  subjectNumbers(): SubjectNumbers {
    if (this.#subjectNumbers.texts.bytes > idBytesMax) this.#subjectNumbers = new SubjectNumbers()
    return this.#subjectNumbers
  }

  /** Opens further parts of a chapter. */
  async complete<N extends PartName>(chapter: Chapter, needs: readonly N[]): Promise<Pick<ChapterParts, N>> {
    const [parts] = await this.#partsOf([chapter.place], needs)
    return parts as Pick<ChapterParts, N>
  }

  async #chaptersOf(places: readonly ChapterPlace[], needs: readonly PartName[]): Promise<Chapter[]> {
    const parts = await this.#partsOf(places, needs)
    const chapters: Chapter[] = []
    for (const [index, place] of places.entries()) {
      const opened = { ...place, ...(parts[index] as ChapterParts), place }
      chapters.push({ ...opened, left: place.version > 0 ? await this.#leftOf(place, opened.columns.positions) : undefined })
    }
    return chapters
  }

  async #partsOf(places: readonly ChapterPlace[], needs: readonly PartName[]): Promise<Partial<ChapterParts>[]> {
    const found: { -readonly [N in PartName]?: ChapterParts[N] }[] = places.map(() => ({}))
    for (const name of needs) {
      // Looked up before anything is added, which may let go of what is needed next.
      const known = places.map((place) => this.#open.get(place, name))
      const missing = places.flatMap(({ isKept, first }, index) => (isKept && !known[index] ? [first] : []))
      const read = missing.length > 0 ? await readPart(this.#db, name, missing) : []
      const bytes = new Map(read.map(({ first, body }) => [first, body]))
      for (const [index, place] of places.entries()) {
        const part = known[index] ?? this.#open.add(place, name, bytes.get(place.first)) ?? (await this.#make(place, name))
        ;(found[index] as Record<PartName, unknown>)[name] = part
      }
    }
    return found
  }

  /** What is not kept, what was trimmed meanwhile, and what another version of the server wrote otherwise is made of the events. */
  async #make(place: ChapterPlace, name: PartName): Promise<ChapterParts[PartName] | undefined> {
    const key = `${place.first} ${place.last} ${place.version}`
    // Once for all who ask meanwhile.
    const making = this.#making.get(key) ?? this.#partsFromEvents(place).finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    const made = await making
    return this.#open.get(place, name) ?? (made && this.#open.addAll(place, made)[name])
  }

  async #partsFromEvents(place: ChapterPlace): Promise<Record<PartName, Uint8Array> | undefined> {
    const { first, last } = this.#filling.bounds()
    // It may have grown since it was looked up, and may grow while it is made.
    const isFilling = this.#filling.count > 0 && first === place.first && last === place.last
    return (isFilling ? await this.#filling.make() : undefined) ?? (await this.#makerOf(place)).make()
  }

  async #makerOf({ first, last }: Bounds): Promise<ChapterMaker> {
    const maker = new ChapterMaker(this.size)
    for (let head = first - 1, more = true; more; ) {
      const rows = (await readEventsAfter(this.#db, head, rowsAtOnce)).filter(({ position }) => position <= last)
      for (const row of rows) maker.add(row)
      more = rows.length === rowsAtOnce
      head = rows.at(-1)?.position ?? head
      await yieldToEventLoop()
    }
    return maker
  }

  async #leftOf(place: ChapterPlace, positions: Uint32Array): Promise<Uint8Array> {
    const known = this.#open.leftOf(place)
    if (known) return known
    const there = new Set(await readLeft(this.#db, place))
    const left = Uint8Array.from(positions, (position) => Number(there.has(position + place.first)))
    this.#open.addLeft(place, left)
    return left
  }

  /** Who comes while it runs waits for the next run: this one may be past what was just committed. */
  #refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#update().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    this.#waiting ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#waiting = undefined
        return this.#refresh()
      })
    return this.#waiting
  }

  async #update(): Promise<void> {
    const trims = await readTrims(this.#db)
    const kept = (await readChapters(this.#db)).map((chapter) => ({ ...chapter, isKept: true }))
    const last = kept.at(-1)?.last ?? 0
    this.#recent = this.#recent.filter((place) => place.last > last)
    const begin = this.#recent[0]?.first ?? (this.#filling.count > 0 ? this.#filling.bounds().first : undefined)
    // Another server may have cut the log otherwise, and what was trimmed has to go.
    if (trims !== this.#trims || (begin !== undefined && begin <= last)) {
      this.#recent = []
      this.#filling = new ChapterMaker(this.size)
    }
    this.#trims = trims
    await this.#readOn(last)
    const filling = this.#filling.count > 0 ? [{ ...this.#filling.bounds(), version: 0, isKept: false }] : []
    this.#places = [...kept, ...this.#recent, ...filling]
    this.#open.forgetOthers(this.#places)
  }

  /** Takes in what came since. */
  async #readOn(lastKept: number): Promise<void> {
    let head = this.#filling.count > 0 ? this.#filling.bounds().last : (this.#recent.at(-1)?.last ?? lastKept)
    for (;;) {
      const rows = await readEventsAfter(this.#db, head, Math.min(rowsAtOnce, this.size - this.#filling.count))
      const lastRow = rows.at(-1)
      if (!lastRow) return
      for (const row of rows) this.#filling.add(row)
      head = lastRow.position
      if (this.#filling.count === this.size) {
        const place = { ...this.#filling.bounds(), version: 0, isKept: false }
        const made = await this.#filling.make()
        // Full, and nobody else adds to it.
        if (made) this.#open.addAll(place, made)
        this.#recent.push(place)
        this.#filling = new ChapterMaker(this.size)
      }
      await yieldToEventLoop()
    }
  }
}

const shelves = new WeakMap<Db, Shelf>()

/** The shelf of a database as this server sees it. */
export function shelfOf(db: Db): Shelf {
  const known = shelves.get(db) ?? new Shelf(db)
  shelves.set(db, known)
  return known
}

/** Chapters of another size, for tests. */
export const useShelf = (db: Db, shelf: Shelf): void => void shelves.set(db, shelf)

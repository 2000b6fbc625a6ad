import { TimeSlice, yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import { readEventsAfter } from '../cursor.ts'
import type { TimeRange } from '../where.ts'
import type { Segment, SegmentRef } from './open-segment.ts'
import { ResourceIds } from './resource-ids.ts'
import { SearchCache } from './search-cache.ts'
import type { SegmentBounds, SegmentPartName, SegmentParts } from './segment.ts'
import { SegmentCache } from './segment-cache.ts'
import { readRemainingPositions, readSegmentParts, readSegments, readTrimCount } from './segment-store.ts'
import { SegmentWriter, segmentEventsMax } from './segment-writer.ts'

/** Chapters that are opened together. */
const segmentBatchSize = 16
/** Rows that are read in one query to make a chapter of: some milliseconds. */
const readBatchSize = 250
/** Ids of a million resources. With more of them, and with those of trimmed events, numbers are given anew. */
const idBytesMax = 64 * 1024 * 1024

/**
 * All chapters of a log: those that are kept in the database, and those of the events that came since, which are made here as they are asked for.
 * Whoever asks sees every event that was committed before.
 */
export class SegmentIndex {
  readonly size: number
  readonly searchCache = new SearchCache()
  readonly #db: Db
  readonly #cache = new SegmentCache()
  #segments: readonly SegmentRef[] = []
  /** Whole chapters that are not kept yet, and the one that is being filled. */
  #unflushed: SegmentRef[] = []
  #writer: SegmentWriter
  #trimCount = -1
  #resourceIds = new ResourceIds()
  readonly #rebuilding = new Map<string, Promise<Record<SegmentPartName, Uint8Array> | undefined>>()
  #running: Promise<void> | undefined
  #waiting: Promise<void> | undefined

  constructor(db: Db, size = segmentEventsMax) {
    this.#db = db
    this.size = size
    this.#writer = new SegmentWriter(size)
  }

  /** The chapters that reach into a range, in the order of a list: whoever has found enough stops asking. */
  async *segmentsIn(range: TimeRange, order: 'ASC' | 'DESC', needs: readonly SegmentPartName[]): AsyncGenerator<Segment> {
    await this.#refresh()
    const places = this.#segments.filter(({ oldest, newest }) => newest >= range.since && oldest <= range.until)
    if (order === 'DESC') places.sort((a, b) => b.newest - a.newest)
    else places.sort((a, b) => a.oldest - b.oldest)
    const slice = new TimeSlice()
    for (let from = 0; from < places.length; from += segmentBatchSize) {
      for (const segment of await this.#readSegments(places.slice(from, from + segmentBatchSize), needs)) {
        yield segment
        // Whoever asks has looked into the chapter by now.
        if (slice.isExhausted) await slice.next()
      }
      await slice.next()
    }
  }

  /** Numbers to put together by what chapters tell of subjects; the same ones for a whole request. */
  resourceIds(): ResourceIds {
    if (this.#resourceIds.strings.bytes > idBytesMax) this.#resourceIds = new ResourceIds()
    return this.#resourceIds
  }

  /** Opens further parts of a chapter. */
  async loadParts<N extends SegmentPartName>(segment: Segment, needs: readonly N[]): Promise<Pick<SegmentParts, N>> {
    const [parts] = await this.#readParts([segment.ref], needs)
    return parts as Pick<SegmentParts, N>
  }

  async #readSegments(places: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Segment[]> {
    const parts = await this.#readParts(places, needs)
    const chapters: Segment[] = []
    for (const [index, ref] of places.entries()) {
      const opened = { ...ref, ...(parts[index] as SegmentParts), ref }
      chapters.push({ ...opened, remaining: ref.version > 0 ? await this.#readRemaining(ref, opened.columns.positions) : undefined })
    }
    return chapters
  }

  async #readParts(places: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Partial<SegmentParts>[]> {
    const found: { -readonly [N in SegmentPartName]?: SegmentParts[N] }[] = places.map(() => ({}))
    for (const name of needs) {
      // Looked up before anything is added, which may let go of what is needed next.
      const known = places.map((ref) => this.#cache.get(ref, name))
      const missing = places.flatMap(({ isStored, first }, index) => (isStored && !known[index] ? [first] : []))
      const read = missing.length > 0 ? await readSegmentParts(this.#db, name, missing) : []
      const bytes = new Map(read.map(({ first, body }) => [first, body]))
      for (const [index, ref] of places.entries()) {
        const part = known[index] ?? this.#cache.set(ref, name, bytes.get(ref.first)) ?? (await this.#rebuildPart(ref, name))
        ;(found[index] as Record<SegmentPartName, unknown>)[name] = part
      }
    }
    return found
  }

  /** What is not kept, what was trimmed meanwhile, and what another version of the server wrote otherwise is made of the events. */
  async #rebuildPart(ref: SegmentRef, name: SegmentPartName): Promise<SegmentParts[SegmentPartName] | undefined> {
    const key = `${ref.first} ${ref.last} ${ref.version}`
    // Once for all who ask meanwhile.
    const making = this.#rebuilding.get(key) ?? this.#encodeFromEvents(ref).finally(() => this.#rebuilding.delete(key))
    this.#rebuilding.set(key, making)
    const made = await making
    return this.#cache.get(ref, name) ?? (made && this.#cache.setAll(ref, made)[name])
  }

  async #encodeFromEvents(ref: SegmentRef): Promise<Record<SegmentPartName, Uint8Array> | undefined> {
    const { first, last } = this.#writer.bounds()
    // It may have grown since it was looked up, and may grow while it is made.
    const isFilling = this.#writer.count > 0 && first === ref.first && last === ref.last
    return (isFilling ? await this.#writer.encode() : undefined) ?? (await this.#refillWriter(ref)).encode()
  }

  async #refillWriter({ first, last }: SegmentBounds): Promise<SegmentWriter> {
    const writer = new SegmentWriter(this.size)
    for (let head = first - 1, more = true; more; ) {
      const rows = (await readEventsAfter(this.#db, head, readBatchSize)).filter(({ position }) => position <= last)
      for (const row of rows) writer.add(row)
      more = rows.length === readBatchSize
      head = rows.at(-1)?.position ?? head
      await yieldToEventLoop()
    }
    return writer
  }

  async #readRemaining(ref: SegmentRef, positions: Uint32Array): Promise<Uint8Array> {
    const known = this.#cache.getRemaining(ref)
    if (known) return known
    const there = new Set(await readRemainingPositions(this.#db, ref))
    const left = Uint8Array.from(positions, (position) => Number(there.has(position + ref.first)))
    this.#cache.setRemaining(ref, left)
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
    const trims = await readTrimCount(this.#db)
    const kept = (await readSegments(this.#db)).map((segment) => ({ ...segment, isStored: true }))
    const last = kept.at(-1)?.last ?? 0
    this.#unflushed = this.#unflushed.filter((ref) => ref.last > last)
    const begin = this.#unflushed[0]?.first ?? (this.#writer.count > 0 ? this.#writer.bounds().first : undefined)
    // Another server may have cut the log otherwise, and what was trimmed has to go.
    if (trims !== this.#trimCount || (begin !== undefined && begin <= last)) {
      this.#unflushed = []
      this.#writer = new SegmentWriter(this.size)
    }
    this.#trimCount = trims
    await this.#readNewEvents(last)
    const filling = this.#writer.count > 0 ? [{ ...this.#writer.bounds(), version: 0, isStored: false }] : []
    this.#segments = [...kept, ...this.#unflushed, ...filling]
    this.#cache.retainOnly(this.#segments)
  }

  /** Takes in what came since. */
  async #readNewEvents(lastKept: number): Promise<void> {
    let head = this.#writer.count > 0 ? this.#writer.bounds().last : (this.#unflushed.at(-1)?.last ?? lastKept)
    for (;;) {
      const rows = await readEventsAfter(this.#db, head, Math.min(readBatchSize, this.size - this.#writer.count))
      const lastRow = rows.at(-1)
      if (!lastRow) return
      for (const row of rows) this.#writer.add(row)
      head = lastRow.position
      if (this.#writer.count === this.size) {
        const place = { ...this.#writer.bounds(), version: 0, isStored: false }
        const made = await this.#writer.encode()
        // Full, and nobody else adds to it.
        if (made) this.#cache.setAll(place, made)
        this.#unflushed.push(place)
        this.#writer = new SegmentWriter(this.size)
      }
      await yieldToEventLoop()
    }
  }
}

const segmentIndexes = new WeakMap<Db, SegmentIndex>()

/** The shelf of a database as this server sees it. */
export function segmentIndexOf(db: Db): SegmentIndex {
  const known = segmentIndexes.get(db) ?? new SegmentIndex(db)
  segmentIndexes.set(db, known)
  return known
}

/** Chapters of another size, for tests. */
export const setSegmentIndex = (db: Db, segmentIndex: SegmentIndex): void => void segmentIndexes.set(db, segmentIndex)

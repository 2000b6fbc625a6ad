import { TimeSlice, yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import { readEventsAfter } from '../cursor.ts'
import type { TimeRange } from '../where.ts'
import { ResourceIds } from './resource-ids.ts'
import { SearchCache } from './search-cache.ts'
import type { SegmentBounds, SegmentPartName, SegmentParts } from './segment.ts'
import { SegmentCache } from './segment-cache.ts'
import { readRemainingPositions, readSegmentParts, readSegments, readTrimCount, type Segment, type SegmentRef } from './segment-store.ts'
import { SegmentWriter, segmentEventsMax } from './segment-writer.ts'

/** Segments that are loaded together. */
const segmentBatchSize = 16
/** Rows per query when a segment is built: some milliseconds of work. */
const readBatchSize = 250
/** Rebuilt above this size: about a million resource ids, including those of removed events. */
const idBytesMax = 64 * 1024 * 1024

/**
 * All segments of the log: those in the database, and segments of newer events, which are built in memory on demand. A query sees every event that was
 * committed before it.
 */
export class SegmentIndex {
  readonly size: number
  readonly searchCache = new SearchCache()
  readonly #db: Db
  readonly #cache = new SegmentCache()
  #segments: readonly SegmentRef[] = []
  /** Full segments that are not stored yet. `#writer` holds the events after them. */
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

  /** The segments that overlap a range, in the order of the list. The caller stops iterating when it has enough. */
  async *segmentsIn(range: TimeRange, order: 'ASC' | 'DESC', needs: readonly SegmentPartName[]): AsyncGenerator<Segment> {
    await this.#refresh()
    const refs = this.#segments.filter(({ oldest, newest }) => newest >= range.since && oldest <= range.until)
    if (order === 'DESC') refs.sort((a, b) => b.newest - a.newest)
    else refs.sort((a, b) => a.oldest - b.oldest)
    const slice = new TimeSlice()
    for (let from = 0; from < refs.length; from += segmentBatchSize) {
      for (const segment of await this.#readSegments(refs.slice(from, from + segmentBatchSize), needs)) {
        yield segment
        if (slice.isExhausted) await slice.next()
      }
      await slice.next()
    }
  }

  /** Maps resource ids to dense integers so that counts can use typed arrays. One request must use one instance. */
  resourceIds(): ResourceIds {
    if (this.#resourceIds.strings.bytes > idBytesMax) this.#resourceIds = new ResourceIds()
    return this.#resourceIds
  }

  /** Loads more parts of a segment. */
  async loadParts<N extends SegmentPartName>(segment: Segment, needs: readonly N[]): Promise<Pick<SegmentParts, N>> {
    const [parts] = await this.#readParts([segment.ref], needs)
    return parts as Pick<SegmentParts, N>
  }

  async #readSegments(refs: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Segment[]> {
    const parts = await this.#readParts(refs, needs)
    const segments: Segment[] = []
    for (const [index, ref] of refs.entries()) {
      const loaded = { ...ref, ...(parts[index] as SegmentParts), ref }
      segments.push({ ...loaded, remaining: ref.version > 0 ? await this.#readRemaining(ref, loaded.columns.positions) : undefined })
    }
    return segments
  }

  async #readParts(refs: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Partial<SegmentParts>[]> {
    const found: { -readonly [N in SegmentPartName]?: SegmentParts[N] }[] = refs.map(() => ({}))
    for (const name of needs) {
      // Read before anything is added, because adding may evict parts that are needed next.
      const cached = refs.map((ref) => this.#cache.get(ref, name))
      const missing = refs.flatMap(({ isStored, first }, index) => (isStored && !cached[index] ? [first] : []))
      const stored = missing.length > 0 ? await readSegmentParts(this.#db, name, missing) : []
      const bytes = new Map(stored.map(({ first, body }) => [first, body]))
      for (const [index, ref] of refs.entries()) {
        const part = cached[index] ?? this.#cache.set(ref, name, bytes.get(ref.first)) ?? (await this.#rebuildPart(ref, name))
        ;(found[index] as Record<SegmentPartName, unknown>)[name] = part
      }
    }
    return found
  }

  /** Builds a part from the events: it is not stored, was just deleted, or has another layout version. */
  async #rebuildPart(ref: SegmentRef, name: SegmentPartName): Promise<SegmentParts[SegmentPartName] | undefined> {
    const key = `${ref.first} ${ref.last} ${ref.version}`
    // Concurrent requests share one build.
    const building = this.#rebuilding.get(key) ?? this.#encodeFromEvents(ref).finally(() => this.#rebuilding.delete(key))
    this.#rebuilding.set(key, building)
    const parts = await building
    return this.#cache.get(ref, name) ?? (parts && this.#cache.setAll(ref, parts)[name])
  }

  async #encodeFromEvents(ref: SegmentRef): Promise<Record<SegmentPartName, Uint8Array> | undefined> {
    const { first, last } = this.#writer.bounds()
    // The writer may have grown since the lookup, and may grow during the encoding.
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
    const cached = this.#cache.getRemaining(ref)
    if (cached) return cached
    const existing = new Set(await readRemainingPositions(this.#db, ref))
    const remaining = Uint8Array.from(positions, (position) => Number(existing.has(position + ref.first)))
    this.#cache.setRemaining(ref, remaining)
    return remaining
  }

  /** A caller during an update waits for the next one, because the current one may have missed the latest commit. */
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
    const trimCount = await readTrimCount(this.#db)
    const stored = (await readSegments(this.#db)).map((segment) => ({ ...segment, isStored: true }))
    const last = stored.at(-1)?.last ?? 0
    this.#unflushed = this.#unflushed.filter((ref) => ref.last > last)
    const begin = this.#unflushed[0]?.first ?? (this.#writer.count > 0 ? this.#writer.bounds().first : undefined)
    // Another server may have chosen other segment bounds, and removed events must disappear.
    if (trimCount !== this.#trimCount || (begin !== undefined && begin <= last)) {
      this.#unflushed = []
      this.#writer = new SegmentWriter(this.size)
    }
    this.#trimCount = trimCount
    await this.#readNewEvents(last)
    const filling = this.#writer.count > 0 ? [{ ...this.#writer.bounds(), version: 0, isStored: false }] : []
    this.#segments = [...stored, ...this.#unflushed, ...filling]
    this.#cache.retainOnly(this.#segments)
  }

  /** Adds new events to the writer. */
  async #readNewEvents(lastStored: number): Promise<void> {
    let head = this.#writer.count > 0 ? this.#writer.bounds().last : (this.#unflushed.at(-1)?.last ?? lastStored)
    for (;;) {
      const rows = await readEventsAfter(this.#db, head, Math.min(readBatchSize, this.size - this.#writer.count))
      const lastRow = rows.at(-1)
      if (!lastRow) return
      for (const row of rows) this.#writer.add(row)
      head = lastRow.position
      if (this.#writer.count === this.size) {
        const ref = { ...this.#writer.bounds(), version: 0, isStored: false }
        const parts = await this.#writer.encode()
        if (parts) this.#cache.setAll(ref, parts)
        this.#unflushed.push(ref)
        this.#writer = new SegmentWriter(this.size)
      }
      await yieldToEventLoop()
    }
  }
}

const segmentIndexes = new WeakMap<Db, SegmentIndex>()

/** The segment index of a database, one per process. */
export function segmentIndexOf(db: Db): SegmentIndex {
  const index = segmentIndexes.get(db) ?? new SegmentIndex(db)
  segmentIndexes.set(db, index)
  return index
}

/** Sets an index with another segment size. For tests. */
export const setSegmentIndex = (db: Db, segmentIndex: SegmentIndex): void => void segmentIndexes.set(db, segmentIndex)

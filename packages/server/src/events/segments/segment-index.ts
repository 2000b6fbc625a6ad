import { afterSeconds } from '../../lib/time.ts'
import { TimeSlice } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import type { TimeRange } from '../time-buckets.ts'
import { LogTail } from './log-tail.ts'
import { ResourceIds } from './resource-ids.ts'
import { SearchCache } from './search-cache.ts'
import type { SegmentPartName, SegmentParts } from './segment.ts'
import { SegmentCache } from './segment-cache.ts'
import { createIdFilter, createResourceFilter, narrowByResources, requiredResourceIds } from './segment-filters.ts'
import { SegmentRows } from './segment-rows.ts'
import { type LogRevision, readSegmentParts, readSegmentsSince, type Segment, type SegmentRef } from './segment-store.ts'
import type { SegmentWriter } from './segment-writer.ts'
import { type SummarizedSegments, SummaryGroups } from './summary-groups.ts'

/** Segments that are loaded together. */
const segmentBatchSizeMax = 16
/** Rebuilt above this size: about a million resource ids, including those of removed events. */
const idBytesMax = 64 * 1024 * 1024
/** What no query has used for this long is dropped from memory, at the latest after twice this time. */
const sweepSeconds = 30

/**
 * All segments of the log: those in the database, and segments of the newest events, which are built in memory. A query sees every event that was committed
 * before it.
 */
export class SegmentIndex {
  readonly searchCache = new SearchCache()
  readonly rows: SegmentRows
  readonly #db: Db
  readonly #cache = new SegmentCache()
  readonly #summaryGroups = new SummaryGroups()
  readonly #tail: LogTail
  readonly #idFilter: ReturnType<typeof createIdFilter>
  readonly #resourceFilter: ReturnType<typeof createResourceFilter>
  #stored: readonly SegmentRef[] = []
  /** The segments as of the last refresh: those in the database, and those in memory. Ingestion reads `#stored` more often. */
  #lists: { readonly stored: readonly SegmentRef[]; readonly newest: readonly SegmentRef[] } = { stored: [], newest: [] }
  #revision: LogRevision = { segments: -1, trims: -1 }
  #resourceIds: ResourceIds | undefined
  #areResourceIdsUsed = false
  #isSweepDue = false
  #running: Promise<void> | undefined
  #waiting: Promise<void> | undefined

  /** `tailSize` is the number of events of a segment in memory. */
  constructor(db: Db, tailSize?: number) {
    this.#db = db
    this.rows = new SegmentRows(db)
    this.#tail = new LogTail(db, (ref, writer) => this.#encodeUsualParts(ref, writer), tailSize)
    this.#idFilter = createIdFilter()
    this.#resourceFilter = createResourceFilter()
  }

  /** The segments that may contain events of a filter, in the order of the list. The caller stops iterating when it has enough. */
  async *segmentsFor(criteria: Criteria, needs: readonly SegmentPartName[]): AsyncGenerator<Segment> {
    await this.refresh()
    let refs = overlapping(criteria, [...this.#lists.stored, ...this.#lists.newest])
    const required = requiredResourceIds(criteria)
    if (required.length > 0) {
      await this.#resourceFilter.sync(this.#db, this.#stored)
      refs = narrowByResources(this.#resourceFilter, refs, required)
    }
    if (criteria.order === 'DESC') refs.sort((a, b) => b.newest - a.newest)
    else refs.sort((a, b) => a.oldest - b.oldest)
    yield* this.load(refs, needs)
  }

  /** Loads segments in batches, which grow: a page mostly needs the first segments only. */
  async *load(refs: readonly SegmentRef[], needs: readonly SegmentPartName[]): AsyncGenerator<Segment> {
    const slice = new TimeSlice()
    for (let from = 0, size = 1; from < refs.length; from += size, size = Math.min(size * 2, segmentBatchSizeMax)) {
      for (const segment of await this.#readSegments(refs.slice(from, from + size), needs)) {
        yield segment
        if (slice.isExhausted) await slice.next()
      }
      await slice.next()
    }
  }

  /** The segments that overlap a range, with their counts by name and quarter hour. Only a single segment may have events outside of the range. */
  async summariesIn(range: TimeRange): Promise<SummarizedSegments[]> {
    await this.refresh()
    const { stored, newest } = this.#lists
    const slice = new TimeSlice()
    const { groups, others } = await this.#summaryGroups.within(range, stored, async (refs) => {
      if (slice.isExhausted) await slice.next()
      return this.#readSummaries(refs)
    })
    const single = overlapping(range, [...others, ...newest])
    const summaries = await this.#readSummaries(single)
    return [...groups, ...single.map((ref, index) => ({ refs: [ref], summary: summaries[index] ?? [] }))]
  }

  async #readSummaries(refs: readonly SegmentRef[]): Promise<SegmentParts['summary'][]> {
    return (await this.#readParts(refs, ['summary'])).map(({ summary = [] }) => summary)
  }

  /** Maps resource ids to dense integers so that counts can use typed arrays. One request must use one instance. */
  resourceIds(): ResourceIds {
    this.#areResourceIdsUsed = true
    if (!this.#resourceIds || this.#resourceIds.strings.bytes > idBytesMax) this.#resourceIds = new ResourceIds()
    return this.#resourceIds
  }

  /** Loads more parts of a segment. */
  async loadParts<N extends SegmentPartName>(segment: Segment, needs: readonly N[]): Promise<Pick<SegmentParts, N>> {
    const [parts] = await this.#readParts([segment.ref], needs)
    return parts as Pick<SegmentParts, N>
  }

  /** The stored segment that covers a position, as of the last refresh. */
  storedAt(position: number): SegmentRef | undefined {
    let low = 0
    let high = this.#stored.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#stored[middle] as SegmentRef).last >= position) high = middle
      else low = middle + 1
    }
    const ref = this.#stored[low]
    return ref && ref.first <= position && ref.kind === 'stored' ? ref : undefined
  }

  /**
   * The stored segments that may contain each event, as of the last refresh. Segments beyond the filter are only included when they cover the time of the
   * event, if it is known.
   */
  async candidatesForIds(db: Db, ids: readonly { readonly key: number; readonly occurred?: number }[]): Promise<SegmentRef[][]> {
    await this.#idFilter.sync(db, this.#stored)
    return ids.map(({ key, occurred }) => [
      ...this.#idFilter.candidates(key),
      ...this.#idFilter.missing,
      ...this.#idFilter.beyond.filter(({ oldest, newest }) => occurred === undefined || (oldest <= occurred && newest >= occurred)),
    ])
  }

  /** Reads the list of stored segments, without new events. */
  async refreshStored(db: Db): Promise<void> {
    this.#stored = await readSegmentsSince(db, this.#stored)
  }

  /** The last position of the stored segments, as of the last refresh. */
  get storedUntil(): number {
    return this.#stored.at(-1)?.last ?? 0
  }

  /** The same up to the first legacy segment, whose rows will move. */
  get movedUntil(): number {
    const legacy = this.#stored.find(({ kind }) => kind === 'legacy')
    return legacy ? legacy.first - 1 : this.storedUntil
  }

  async #readSegments(refs: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Segment[]> {
    const parts = await this.#readParts(refs, needs)
    const segments: Segment[] = []
    for (const [index, ref] of refs.entries()) {
      const loaded = { ...ref, ...(parts[index] as SegmentParts), ref }
      // Retention has removed the segment since the refresh.
      if (needs.includes('columns') && !loaded.columns) continue
      segments.push(loaded)
    }
    return segments
  }

  async #readParts(refs: readonly SegmentRef[], needs: readonly SegmentPartName[]): Promise<Partial<SegmentParts>[]> {
    const found: { -readonly [N in SegmentPartName]?: SegmentParts[N] }[] = refs.map(() => ({}))
    for (const name of needs) {
      // Read before anything is added, because adding may evict parts that are needed next.
      const cached = refs.map((ref) => this.#cache.get(ref, name))
      const missing = refs.filter((_, index) => !cached[index])
      const bytes = new Map<string, Uint8Array>()
      for (const kind of ['stored', 'legacy'] as const) {
        const ofKind = missing.filter((ref) => ref.kind === kind && !ref.isPartial)
        const parts = await readSegmentParts(
          this.#db,
          kind,
          name,
          ofKind.map(({ id }) => id),
        )
        for (const { segment_id, body } of parts) bytes.set(`${kind} ${segment_id}`, body)
      }
      for (const [index, ref] of refs.entries()) {
        const part = cached[index] ?? this.#cache.set(ref, name, bytes.get(`${ref.kind} ${ref.id}`)) ?? (await this.#buildPart(ref, name))
        ;(found[index] as Record<SegmentPartName, unknown>)[name] = part
      }
    }
    return found
  }

  /** A page with its total needs these parts. */
  #encodeUsualParts(ref: SegmentRef, writer: SegmentWriter): void {
    for (const name of ['summary', 'columns'] as const) this.#cache.set(ref, name, writer.encodePart(name))
  }

  /** Builds a part that is not stored from the rows: of a segment in memory, of a legacy segment, or with another layout version. */
  async #buildPart(ref: SegmentRef, name: SegmentPartName): Promise<SegmentParts[SegmentPartName] | undefined> {
    const writer = await this.#tail.writerFor(ref, this.rows)
    return this.#cache.get(ref, name) ?? (writer.count === 0 ? undefined : this.#cache.set(ref, name, writer.encodePart(name)))
  }

  /** Reads new events and segments. A caller during an update waits for the next one, because the current one may have missed the latest commit. */
  refresh(): Promise<void> {
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
        return this.refresh()
      })
    return this.#waiting
  }

  /** A query loads much of the log, and may be the last one for hours. */
  #sweepLater(): void {
    if (this.#isSweepDue) return
    this.#isSweepDue = true
    afterSeconds(sweepSeconds, () => {
      this.#isSweepDue = false
      if (this.sweep()) this.#sweepLater()
    })
  }

  /** Drops what no query has used since the last sweep. Returns whether anything remains. */
  sweep(): boolean {
    if (!this.#areResourceIdsUsed) this.#resourceIds = undefined
    this.#areResourceIdsUsed = false
    const remaining = [this.#cache.sweep(), this.#summaryGroups.sweep(), this.searchCache.sweep(), this.#resourceIds !== undefined]
    return remaining.includes(true)
  }

  async #update(): Promise<void> {
    this.#sweepLater()
    for (;;) {
      const revision = await this.#tail.readNewEvents(this.#revision)
      if (!revision) break
      // Read after the revision: a segment that is stored in between changes it again.
      this.#stored = await readSegmentsSince(this.#db, this.#stored)
      this.#tail.reset(this.storedUntil, revision.trims !== this.#revision.trims)
      this.#cache.retainOnly([...this.#stored, ...this.#tail.segments])
      this.#revision = revision
    }
    this.#lists = { stored: this.#stored, newest: this.#tail.segments }
  }
}

const overlapping = ({ since, until }: TimeRange, refs: readonly SegmentRef[]): SegmentRef[] =>
  refs.filter(({ oldest, newest }) => newest >= since && oldest <= until)

const segmentIndexes = new WeakMap<Db, SegmentIndex>()

/** The segment index of a database, one per process. */
export function segmentIndexOf(db: Db): SegmentIndex {
  const index = segmentIndexes.get(db) ?? new SegmentIndex(db)
  segmentIndexes.set(db, index)
  return index
}

/** Sets an index with another size of segments in memory. For tests. */
export const setSegmentIndex = (db: Db, segmentIndex: SegmentIndex): void => void segmentIndexes.set(db, segmentIndex)

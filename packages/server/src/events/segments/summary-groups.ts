import type { TimeRange } from '../time-buckets.ts'
import type { SegmentRef } from './segment-store.ts'
import { mergeSummaries, type SummaryEntry } from './summary.ts'

/** Segments of a group: a quarter of a million events. */
const groupSize = 64
/** Events of many names or times are not added up: their sums would take as much memory as the summaries of the segments. */
const entriesMax = 2048

/** Segments with their counts by name and quarter hour. */
export interface SummarizedSegments {
  readonly refs: readonly SegmentRef[]
  readonly summary: readonly SummaryEntry[]
}

interface Group {
  readonly number: number
  readonly refs: SegmentRef[]
  oldest: number
  newest: number
}

interface AddedUp {
  readonly size: number
  /** Undefined for a group that is not added up. */
  readonly summary: readonly SummaryEntry[] | undefined
  /** Whether it was used since the last sweep. */
  isUsed: boolean
}

type ReadSummaries = (refs: readonly SegmentRef[]) => Promise<readonly (readonly SummaryEntry[])[]>

/**
 * The counts of older segments, added up in groups. Every page of events tells the total: without groups it would need one summary for each 4,096 events of the
 * log, in memory and in each query.
 */
export class SummaryGroups {
  readonly #addedUp = new Map<number, AddedUp>()
  #stored: readonly SegmentRef[] = []
  /** The groups of `#stored`, and the segments without one. */
  #groups: readonly Group[] = []
  #others: readonly SegmentRef[] = []

  /** The counts of the groups within a range, and the other segments. Some of those may be outside of the range. */
  async within(
    { since, until }: TimeRange,
    stored: readonly SegmentRef[],
    read: ReadSummaries,
  ): Promise<{ groups: SummarizedSegments[]; others: SegmentRef[] }> {
    this.#group(stored)
    const groups: SummarizedSegments[] = []
    const others: SegmentRef[] = []
    for (const group of this.#groups) {
      const isWithin = group.oldest >= since && group.newest <= until
      const summary = isWithin ? await this.#addUp(group, read) : undefined
      if (summary) groups.push({ refs: group.refs, summary })
      else others.push(...group.refs)
    }
    others.push(...this.#others)
    return { groups, others }
  }

  /** Drops the sums that were not used since the last sweep. Returns whether any remain. */
  sweep(): boolean {
    for (const [number, sum] of this.#addedUp) {
      if (!sum.isUsed) this.#addedUp.delete(number)
      sum.isUsed = false
    }
    return this.#addedUp.size > 0
  }

  async #addUp({ number, refs }: Group, read: ReadSummaries): Promise<readonly SummaryEntry[] | undefined> {
    const known = this.#addedUp.get(number)
    // No segment is added to a group, so it has the same ones if it has as many.
    if (known?.size === refs.length) {
      known.isUsed = true
      return known.summary
    }
    const merged = mergeSummaries(await read(refs))
    const summary = merged.length <= entriesMax ? merged : undefined
    this.#addedUp.set(number, { size: refs.length, summary, isUsed: true })
    return summary
  }

  /** Groups the segments by their ids. The last ids have no group: more segments will get one of them. */
  #group(stored: readonly SegmentRef[]): void {
    if (stored === this.#stored) return
    const numberOf = ({ id }: SegmentRef) => Math.floor(id / groupSize)
    const last = stored.reduce((number, ref) => Math.max(number, ref.kind === 'stored' ? numberOf(ref) : 0), 0)
    const groups = new Map<number, Group>()
    const others: SegmentRef[] = []
    for (const ref of stored) {
      const number = numberOf(ref)
      if (ref.kind !== 'stored' || number === last) {
        others.push(ref)
        continue
      }
      const group = groups.get(number)
      if (!group) groups.set(number, { number, refs: [ref], oldest: ref.oldest, newest: ref.newest })
      else {
        group.refs.push(ref)
        group.oldest = Math.min(group.oldest, ref.oldest)
        group.newest = Math.max(group.newest, ref.newest)
      }
    }
    for (const number of this.#addedUp.keys()) if (!groups.has(number)) this.#addedUp.delete(number)
    this.#stored = stored
    this.#groups = [...groups.values()]
    this.#others = others
  }
}

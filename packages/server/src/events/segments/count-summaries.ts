import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { matchesNameCriteria } from '../match-event.ts'
import { type GroupCount, mergeCounts } from './count-segments.ts'
import { matchSegment } from './match-segment.ts'
import { forEachMatch } from './scan.ts'
import { segmentIndexOf } from './segment-index.ts'
import type { SegmentRef } from './segment-store.ts'
import { mergeSummaries, type SummaryEntry } from './summary.ts'

/** Counts the events by name, for a filter of names and times. */
export async function countNamesBySummary(db: Db, criteria: Criteria): Promise<GroupCount[]> {
  const groups: GroupCount[] = []
  const use = ({ name, count, oldest, newest }: SummaryEntry) => groups.push({ value: name, name: null, count, oldest, newest })
  await forEachEntry(db, criteria, use, { byName: true })
  return mergeCounts(groups)
}

/** Counts the events in time buckets, for a filter of names and times. `first` and `width` must be multiples of a quarter hour. */
export async function countTimesBySummary(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  await forEachEntry(db, criteria, ({ quarter, count }) => {
    const bucket = Math.floor((quarter - first) / width)
    counts.set(bucket, (counts.get(bucket) ?? 0) + count)
  })
  return counts
}

/**
 * Visits the counts of all matching events. A segment with an entry that the range cuts is counted by its columns. Mostly there is none. With
 * `byName` it visits the totals by name instead of the entries, except in a summary where the range cuts a total.
 */
async function forEachEntry(db: Db, criteria: Criteria, use: (entry: SummaryEntry) => void, { byName = false } = {}): Promise<void> {
  const { since, until, names } = criteria
  const matches = cachedPredicate((name) => !names || matchesNameCriteria(names, name))
  /** The matching entries; undefined if the range cuts one of them. */
  const findUncut = (summary: readonly SummaryEntry[]): SummaryEntry[] | undefined => {
    const entries = summary.filter(({ name, oldest, newest }) => newest >= since && oldest <= until && matches(name))
    return entries.some(({ oldest, newest }) => oldest < since || newest > until) ? undefined : entries
  }
  const index = segmentIndexOf(db)
  const cut: SegmentRef[] = []
  for (const { refs, summary } of await index.summariesIn(criteria)) {
    const entries = (byName ? findUncut(totalsOf(summary)) : undefined) ?? findUncut(summary)
    if (entries) for (const entry of entries) use(entry)
    else cut.push(...refs)
  }
  for await (const segment of index.load(cut, ['columns'])) {
    const mask = matchSegment(segment, criteria)
    if (!mask) continue
    const { names: nameOf, nameOrdinals, dictionary } = segment.columns
    const texts = Array.from(nameOrdinals, (ordinal) => dictionary.at(ordinal))
    forEachMatch({ segment, mask }, (occurred, _position, i) =>
      use({ quarter: occurred, name: texts[nameOf[i] as number] as string, count: 1, oldest: occurred, newest: occurred }),
    )
  }
}

const knownTotals = new WeakMap<readonly SummaryEntry[], readonly SummaryEntry[]>()

/** The counts of a summary by name, as if all events were in one quarter hour. They are kept: a summary of many segments has thousands of entries and few names. */
function totalsOf(summary: readonly SummaryEntry[]): readonly SummaryEntry[] {
  const known = knownTotals.get(summary)
  if (known) return known
  const totals = mergeSummaries([summary.map((entry) => ({ ...entry, quarter: 0 }))])
  knownTotals.set(summary, totals)
  return totals
}

/** A segment has the same few names as the others. */
function cachedPredicate(test: (name: string) => boolean): (name: string) => boolean {
  const results = new Map<string, boolean>()
  return (name) => {
    const known = results.get(name)
    if (known !== undefined) return known
    const result = test(name)
    results.set(name, result)
    return result
  }
}

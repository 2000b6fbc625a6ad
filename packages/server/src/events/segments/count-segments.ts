import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { forEachMatch, type SegmentMatches, scanSegments } from './scan.ts'

/** The number of events with one value. */
export interface GroupCount {
  readonly value: string
  readonly name: string | null
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/** Counts the matching events by name. */
export async function countNamesInSegments(db: Db, criteria: Criteria): Promise<GroupCount[]> {
  const groups: GroupCount[] = []
  for await (const matches of scanSegments(db, criteria)) {
    const { names, nameOrdinals, dictionary } = matches.segment.columns
    for (const { ordinal, ...group } of countGroups(matches, names, nameOrdinals.length))
      groups.push({ ...group, value: dictionary.at(nameOrdinals[ordinal] as number), name: null })
  }
  return mergeCounts(groups)
}

/** Counts the matching events in time buckets of equal width. */
export async function countTimesInSegments(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for await (const matches of scanSegments(db, criteria)) {
    // Consecutive events are mostly in one bucket, so the map is updated once per bucket.
    let [current, count] = [0, 0]
    forEachMatch(matches, (occurred) => {
      const bucket = Math.floor((occurred - first) / width)
      if (bucket !== current) {
        if (count > 0) counts.set(current, (counts.get(current) ?? 0) + count)
        current = bucket
        count = 0
      }
      count += 1
    })
    if (count > 0) counts.set(current, (counts.get(current) ?? 0) + count)
  }
  return counts
}

interface Group {
  readonly ordinal: number
  count: number
  oldest: Micros
  newest: Micros
}

/** Counts by the values of a column. */
function countGroups(matches: SegmentMatches, ordinals: Uint16Array, groupCount: number): Group[] {
  const groups: (Group | undefined)[] = Array.from({ length: groupCount })
  forEachMatch(matches, (occurred, _position, i) => {
    const ordinal = ordinals[i] as number
    const group = groups[ordinal]
    if (!group) {
      groups[ordinal] = { ordinal, count: 1, oldest: occurred, newest: occurred }
      return
    }
    group.count += 1
    if (occurred < group.oldest) group.oldest = occurred
    if (occurred > group.newest) group.newest = occurred
  })
  return groups.filter((group) => group !== undefined)
}

/** Merges counts by value. The name of the newest wins. */
export function mergeCounts(groups: readonly GroupCount[]): GroupCount[] {
  const merged = new Map<string, GroupCount>()
  for (const group of groups) {
    const previous = merged.get(group.value)
    merged.set(group.value, previous ? addCounts(previous, group) : { ...group, count: Number(group.count) })
  }
  return [...merged.values()]
}

const addCounts = (a: GroupCount, b: GroupCount): GroupCount => ({
  value: a.value,
  name: b.newest >= a.newest ? b.name : a.name,
  count: a.count + Number(b.count),
  oldest: Math.min(a.oldest, b.oldest),
  newest: Math.max(a.newest, b.newest),
})

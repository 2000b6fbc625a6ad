import type { Micros } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { type GroupCount, mergeCounts } from '../rollup.ts'
import { forEachMatch } from './find-in-segments.ts'
import { type SegmentMatches, scanSegments } from './scan.ts'

/** How often each event happened among those that a filter finds. */
export async function countNamesInSegments(db: Db, criteria: Criteria): Promise<GroupCount[]> {
  const groups: GroupCount[] = []
  for await (const answer of scanSegments(db, criteria)) {
    const { names, nameOrdinals: nameWords, dictionary: words } = answer.segment.columns
    for (const { ordinal: number, ...tally } of countGroups(answer, names, nameWords.length))
      groups.push({ ...tally, value: words.at(nameWords[number] as number), name: null })
  }
  return mergeCounts(groups)
}

/** Counts in equal spans of time from a first instant on. */
export async function countTimesInSegments(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for await (const answer of scanSegments(db, criteria)) {
    // Events that follow each other mostly lie in one span.
    let [span, count] = [0, 0]
    forEachMatch(answer, (occurred) => {
      const its = Math.floor((occurred - first) / width)
      if (its !== span) {
        if (count > 0) counts.set(span, (counts.get(span) ?? 0) + count)
        span = its
        count = 0
      }
      count += 1
    })
    if (count > 0) counts.set(span, (counts.get(span) ?? 0) + count)
  }
  return counts
}

interface Group {
  readonly ordinal: number
  count: number
  oldest: Micros
  newest: Micros
}

/** Counts by the numbers of a column. */
function countGroups(matches: SegmentMatches, ordinals: Uint16Array, groupCount: number): Group[] {
  const groups: (Group | undefined)[] = Array.from({ length: groupCount })
  forEachMatch(matches, (occurred, _position, i) => {
    const number = ordinals[i] as number
    const group = groups[number]
    if (!group) {
      groups[number] = { ordinal: number, count: 1, oldest: occurred, newest: occurred }
      return
    }
    group.count += 1
    if (occurred < group.oldest) group.oldest = occurred
    if (occurred > group.newest) group.newest = occurred
  })
  return groups.filter((group) => group !== undefined)
}

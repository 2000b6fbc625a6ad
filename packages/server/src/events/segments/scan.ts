import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { type Mask, matchSegment, requiredParts } from './match-segment.ts'
import { filterBySearch } from './search-segment.ts'
import { segmentIndexOf } from './segment-index.ts'
import type { Segment } from './segment-store.ts'

export interface SegmentMatches {
  readonly segment: Segment
  /** 1 for each matching event. */
  readonly mask: Mask
}

/**
 * Matches a filter against the segments, in the order of the list. `isDone` is called before each segment and can end the scan: the following segments
 * contain nothing newer (or older, in ascending order).
 */
export async function* scanSegments(db: Db, criteria: Criteria, isDone: (next: Segment) => boolean = () => false): AsyncGenerator<SegmentMatches> {
  const segmentIndex = segmentIndexOf(db)
  for await (const segment of segmentIndex.segmentsFor(criteria, requiredParts(criteria))) {
    if (isDone(segment)) return
    const mask = matchSegment(segment, criteria)
    if (!mask) continue
    if (criteria.search && !(await filterBySearch(db, segmentIndex, segment, mask, criteria.search))) continue
    yield { segment, mask }
  }
}

export function countMatches({ mask }: SegmentMatches): number {
  let count = 0
  for (let i = 0; i < mask.length; i += 1) count += mask[i] as number
  return count
}

export function forEachMatch({ segment, mask }: SegmentMatches, use: (occurred: number, position: number, index: number) => void): void {
  const { first, columns } = segment
  for (let i = 0; i < mask.length; i += 1) if (mask[i]) use(columns.occurred[i] as number, (columns.positions[i] as number) + first, i)
}

import type { Db } from '../../storage/database.ts'
import type { Criteria } from '../criteria.ts'
import { type Mask, matchSegment, requiredParts } from './match-segment.ts'
import type { Segment } from './open-segment.ts'
import { filterBySearch } from './search-segment.ts'
import { segmentIndexOf } from './segment-index.ts'

export interface SegmentMatches {
  readonly segment: Segment
  /** 1 for each event that was found. */
  readonly mask: Mask
}

/**
 * Asks chapter after chapter, in the order of the list, which of its events meet a filter. `enough` is asked before each, and may end it: chapters
 * that follow have nothing newer (or older, in the other order) than its bounds say.
 */
export async function* scanSegments(db: Db, criteria: Criteria, isDone: (next: Segment) => boolean = () => false): AsyncGenerator<SegmentMatches> {
  const segmentIndex = segmentIndexOf(db)
  for await (const segment of segmentIndex.segmentsIn(criteria, criteria.order, requiredParts(criteria))) {
    if (isDone(segment)) return
    const mask = matchSegment(segment, criteria)
    if (!mask) continue
    if (criteria.search && !(await filterBySearch(db, segmentIndex, segment, mask, criteria.search))) continue
    yield { segment, mask }
  }
}

import type { SegmentBounds, SegmentParts } from './segment.ts'
import type { StoredSegment } from './segment-store.ts'

/** A chapter as it is asked; the parts that were asked for. */
export interface Segment extends SegmentBounds, SegmentParts {
  /** 1 for each event that is still there; undefined when all are. */
  readonly remaining: Uint8Array | undefined
  readonly ref: SegmentRef
}

export interface SegmentRef extends StoredSegment {
  readonly isStored: boolean
}

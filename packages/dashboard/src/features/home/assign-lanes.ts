export interface Interval {
  readonly from: number
  readonly to: number
}

/**
 * Gives every span the first lane that is free for it, so that none lies over another; in the order of their beginnings. Lanes beyond the last
 * share it: a crowd is shown as a crowd.
 */
export function assignLanes(spans: readonly Interval[], gap: number, lanesMax: number): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end + gap <= from)
    const lane = free >= 0 ? free : Math.min(ends.length, lanesMax - 1)
    ends[lane] = Math.max(ends[lane] ?? 0, to)
    return lane
  })
}

export interface Interval {
  readonly from: number
  readonly to: number
}

/** Assigns each span, in order of start, to the first free lane, so that spans do not overlap. Spans beyond `lanesMax` share the last lane. */
export function assignLanes(spans: readonly Interval[], gap: number, lanesMax: number): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end + gap <= from)
    const lane = free >= 0 ? free : Math.min(ends.length, lanesMax - 1)
    ends[lane] = Math.max(ends[lane] ?? 0, to)
    return lane
  })
}

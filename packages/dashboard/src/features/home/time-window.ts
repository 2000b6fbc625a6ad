/** Time range of the home page. Consists of whole buckets, so that queries change only when a bucket ends. */
export interface TimeWindow {
  readonly start: number
  readonly end: number
  readonly bucketSeconds: number
}

export const timeSpans = [
  { hours: 1, label: '1 h', bucketSeconds: 120 },
  { hours: 6, label: '6 h', bucketSeconds: 600 },
  { hours: 24, label: '24 h', bucketSeconds: 1800 },
  { hours: 168, label: '7 d', bucketSeconds: 14_400 },
] as const

/** The future part is an eighth of the past part. */
const aheadShare = 8

export function resolveTimeWindow(hours: number, present: number): TimeWindow {
  const { bucketSeconds } = timeSpans.find((span) => span.hours === hours) ?? timeSpans[2]
  const size = bucketSeconds * 1000
  const current = Math.floor(present / size) * size
  const length = hours * 3_600_000
  return { start: current + size - length, end: current + size + Math.ceil(length / aheadShare / size) * size, bucketSeconds }
}

const steps = [300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

/** Up to `wanted` round axis times. `offsetSeconds` is the offset of the local zone from UTC. */
export function axisTimes({ start, end }: TimeWindow, wanted: number, offsetSeconds: number): number[] {
  const step = (steps.find((seconds) => (end - start) / 1000 / seconds <= wanted) ?? 86_400) * 1000
  const offset = offsetSeconds * 1000
  const times: number[] = []
  for (let at = Math.ceil((start + offset) / step) * step - offset; at < end; at += step) times.push(at)
  return times
}

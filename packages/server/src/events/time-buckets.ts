import type { TimeUnit } from '@millrace/contracts/event.ts'
import { type Micros, toMicros } from '../lib/time.ts'

/** The width of the buckets in the summaries of segments. */
export const quarterHourMicros = 15 * 60 * 1_000_000
export const dayMicros = 24 * 60 * 60 * 1_000_000

export const startOfQuarterHour = (time: Micros): Micros => Math.floor(time / quarterHourMicros) * quarterHourMicros
export const startOfDay = (time: Micros): Micros => Math.floor(time / dayMicros) * dayMicros

/** Time buckets are aligned to this Monday, whatever the filter. */
export const bucketOrigin = toMicros('2024-04-01T00:00:00Z')

const unitMicros: Readonly<Record<TimeUnit, Micros>> = {
  week: 7 * dayMicros,
  day: dayMicros,
  hour: dayMicros / 24,
  minute: 60_000_000,
  second: 1_000_000,
}

/** Both ends are inclusive. */
export interface TimeRange {
  readonly since: Micros
  readonly until: Micros
}

export interface TimeBuckets {
  readonly unit: TimeUnit
  readonly interval: number
}

/** Times of the API are between these. */
const firstTime = toMicros('0001-01-01T00:00:00Z')
const lastTime = toMicros('9999-12-31T23:59:59Z')

/** A wider bucket contains all times too, and its bounds would not fit the database. */
export const bucketWidth = ({ unit, interval }: TimeBuckets): Micros => Math.min(Math.round(unitMicros[unit] * interval), lastTime - firstTime)

/** A bound of a bucket as a time of the API. */
export const clampTime = (time: Micros): Micros => Math.min(Math.max(time, firstTime), lastTime)

/** The last instant of the bucket that contains a time. Weeks start on Monday. */
export function bucketEnd(time: Micros, unit: TimeUnit): Micros {
  const width = unitMicros[unit]
  return bucketOrigin + (Math.floor((time - bucketOrigin) / width) + 1) * width - 1
}

import type { Micros } from '../lib/time.ts'

/** The spans that tallies of the log are kept for. */
export const quarterHourMicros = 15 * 60 * 1_000_000
export const dayMicros = 24 * 60 * 60 * 1_000_000

export const startOfQuarterHour = (time: Micros): Micros => Math.floor(time / quarterHourMicros) * quarterHourMicros
export const startOfDay = (time: Micros): Micros => Math.floor(time / dayMicros) * dayMicros

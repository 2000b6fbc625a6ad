import type { Micros } from '../lib/time.ts'

/** The spans that tallies of the log are kept for. */
export const quarterMicros = 15 * 60 * 1_000_000
export const dayMicros = 24 * 60 * 60 * 1_000_000

export const quarterOf = (time: Micros): Micros => Math.floor(time / quarterMicros) * quarterMicros
export const dayOf = (time: Micros): Micros => Math.floor(time / dayMicros) * dayMicros

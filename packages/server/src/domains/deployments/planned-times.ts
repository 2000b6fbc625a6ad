import { type Schedule, upcomingTimes } from '../../lib/schedule/schedule.ts'
import type { Micros } from '../../lib/time.ts'

/** How far ahead runs are made. */
export interface Horizon {
  readonly start: Micros
  /** No run is made for later. */
  readonly end: Micros
  /** Runs are made until one lies at least this far after the start; and at least as many as `runsMin`, at most `runsMax`. */
  readonly timeMin: Micros
  readonly runsMin: number
  readonly runsMax: number
}

/** The times of a schedule for which there are to be runs. The first time is always among them, even if none at all was asked for. */
export function listPlannedTimes(schedule: Schedule, { start, end, timeMin, runsMin, runsMax }: Horizon): Micros[] {
  const most = Math.max(1, runsMax)
  const within = upcomingTimes(schedule, { after: start, until: Math.min(end, start + timeMin - 1), limit: most })
  const more = Math.min(most - within.length, Math.max(1, runsMin - within.length))
  return more <= 0 ? within : [...within, ...upcomingTimes(schedule, { after: start + timeMin, until: end, limit: more })]
}

import type { Micros } from '../time.ts'
import { cronTimes } from './cron.ts'
import { type TimeWindow, toInstants } from './instants.ts'
import { intervalInstants, intervalMicros } from './interval.ts'
import { rruleTimes } from './rrule.ts'
import { getZone, type Zone } from './zone.ts'

/**
 * When a deployment's schedule fires.
 *
 * Clocks that change, one convention for all three kinds:
 * - A local time that is skipped fires once, as long after the change as it lies within the gap: 02:30 on the day that 02:00
 *   becomes 03:00 fires at 03:30, an hour after 01:30. (RFC 5545 says so, and croner's cron agrees.) If something is due at
 *   that instant already, it fires once, not twice.
 * - A local time that comes twice fires the first time only, unless the rule names no hours: a cron whose hour field is all
 *   24 hours, or an RRULE with steps of an hour or less and without BYHOUR. Those fire in both rounds, so that every
 *   real hour, minute or second has its run. COUNT takes the two rounds as one.
 * - Intervals shorter than a day are real time and know no clocks.
 *
 * Cron and RRULE are our own arithmetic: croner drops the repeated hour and gives skipped times twice, and its fields are not
 * this API's (seconds come last here); rrule-temporal needs a `Temporal` that Node 24 does not have.
 */
export type Schedule = IntervalSchedule | CronSchedule | RRuleSchedule

export interface IntervalSchedule {
  /** Seconds. */
  interval: number
  anchor_date: string
  timezone?: string | null
}

export interface CronSchedule {
  cron: string
  timezone?: string | null
  day_or?: boolean
}

export interface RRuleSchedule {
  rrule: string
  timezone?: string | null
}

/** However many are asked for, no more are given at a time. */
export const TIMES_MAX = 1000

/**
 * The times from `after` to `until`, both included, in order; at most `limit` and 1000 of them. None after the year 2254.
 * The schedule must be one that `checkSchedule` has nothing against.
 */
export function upcomingTimes(schedule: Schedule, { after, until, limit }: TimeWindow): Micros[] {
  const zone = zoneOf(schedule)
  const window = { after, until, limit: Math.min(limit, TIMES_MAX) }
  if ('interval' in schedule) {
    return intervalInstants(intervalMicros(schedule.interval), schedule.anchor_date, zone, window)
  }
  if ('cron' in schedule) return toInstants({ include: [cronTimes(schedule.cron, schedule.day_or ?? true)], exclude: [] }, zone, window)
  return toInstants(rruleTimes(schedule.rrule), zone, window)
}

const zoneOf = ({ timezone }: Schedule): Zone => getZone(timezone || 'UTC')

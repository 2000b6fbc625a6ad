import type { Micros } from '../time.ts'
import { cronTimes } from './cron.ts'
import { type TimeWindow, toInstants } from './instants.ts'
import { intervalInstants, intervalMicros } from './interval.ts'
import { rruleTimes } from './rrule.ts'
import { getZone, type Zone } from './zone.ts'

/**
 * The schedule of a deployment.
 *
 * One convention for daylight saving time in all three kinds:
 * - A skipped local time fires once, delayed by the length of the gap: 02:30 on the day that 02:00 becomes 03:00 fires at 03:30, an
 *   hour after 01:30 (RFC 5545). If another time of the schedule falls on that instant, it fires once.
 * - A repeated local time fires the first time only, unless the rule does not restrict hours: a cron with all 24 hours, or an RRULE with
 *   steps of an hour or less and without BYHOUR. Those fire both times, so that every real hour, minute or second has its run. COUNT
 *   counts the two as one.
 * - Intervals below a day are elapsed time and independent of clock changes.
 *
 * ADR 0015 explains why cron and RRULE do not use a library.
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

/** Maximum number of times per call. */
export const TIMES_MAX = 1000

/**
 * The times from `after` to `until`, both inclusive, in order; at most `limit` and at most 1000. None after the year 2255.
 * The schedule must pass `checkSchedule`.
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

import { formatTime, type Micros, normaliseTime } from '../time.ts'
import { parseCron } from './cron-fields.ts'
import { intervalMicros } from './interval.ts'
import { InvalidSchedule } from './invalid-schedule.ts'
import { addDefaultStart, parseRecurrence, RRULE_CHARACTERS_MAX } from './recurrence.ts'
import { unsatisfiableReason } from './rrule.ts'
import type { Schedule } from './schedule.ts'
import { isZoneName } from './zone-names.ts'

/** A schedule as sent. An interval may omit its anchor. */
export type ScheduleInput = Schedule | { interval: number; anchor_date?: string | null; timezone?: string | null }

const INTERVAL_SECONDS_MAX = 999_999_999 * 86_400

/** Returns the error message of a schedule; undefined for a valid one. */
export function checkSchedule(schedule: ScheduleInput): string | undefined {
  try {
    if (schedule.timezone && !isZoneName(schedule.timezone)) {
      return `${JSON.stringify(schedule.timezone)} is not a time zone; names are those of the IANA database, such as America/New_York.`
    }
    if ('interval' in schedule) return checkInterval(schedule)
    if ('cron' in schedule) parseCron(schedule.cron)
    else return checkRRule(schedule.rrule)
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}

function checkInterval({ interval, anchor_date }: { interval: number; anchor_date?: string | null }): string | undefined {
  if (!(intervalMicros(interval) > 0)) return 'The interval must be positive.'
  if (interval > INTERVAL_SECONDS_MAX) return `The interval must not be longer than ${INTERVAL_SECONDS_MAX} seconds.`
  return anchor_date && normaliseTime(anchor_date) === undefined ? 'The anchor date is not a time.' : undefined
}

function checkRRule(rrule: string): string | undefined {
  parseRecurrence(rrule)
  if (addDefaultStart(rrule).length > RRULE_CHARACTERS_MAX) return `The rule is longer than ${RRULE_CHARACTERS_MAX} characters with its start.`
  const reason = unsatisfiableReason(rrule)
  return reason && `The rule is not valid: ${reason}.`
}

/** Adds the omitted anchor, time zone and start to a valid schedule, as stored. */
export function completeSchedule(schedule: ScheduleInput, now: Micros): Schedule {
  if ('interval' in schedule) {
    return { interval: schedule.interval, anchor_date: schedule.anchor_date || formatTime(now), timezone: schedule.timezone || 'UTC' }
  }
  if ('cron' in schedule) return { cron: schedule.cron, timezone: schedule.timezone ?? null, day_or: schedule.day_or ?? true }
  return { rrule: addDefaultStart(schedule.rrule), timezone: schedule.timezone === undefined ? 'UTC' : schedule.timezone }
}

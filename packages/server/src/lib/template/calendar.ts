import { weekdayOf, yearStart } from '../schedule/calendar.ts'
import { MICROS_PER_DAY, sortableTime } from '../time.ts'

/** The fields of a time in UTC. */
export interface CalendarParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly micros: number
  /** Monday is 0. */
  readonly weekday: number
  /** The first of January is 1. */
  readonly dayOfYear: number
}

export function calendarParts(micros: number): CalendarParts {
  const text = sortableTime(micros)
  const part = (from: number, to: number): number => Number(text.slice(from, to))
  const year = part(0, 4)
  const days = Math.floor(micros / MICROS_PER_DAY)
  return {
    year,
    month: part(5, 7),
    day: part(8, 10),
    hour: part(11, 13),
    minute: part(14, 16),
    second: part(17, 19),
    micros: part(20, 26),
    weekday: weekdayOf(days),
    dayOfYear: days - yearStart(year) + 1,
  }
}

/** The ISO 8601 week and its year. */
export function isoWeek({ year, weekday, dayOfYear }: CalendarParts): { year: number; week: number } {
  const week = Math.floor((dayOfYear - 1 - weekday + 10) / 7)
  if (week < 1) return { year: year - 1, week: weeksIn(year - 1) }
  return week > weeksIn(year) ? { year: year + 1, week: 1 } : { year, week }
}

/** A year has 53 weeks when it begins or ends on a Thursday. */
function weeksIn(year: number): number {
  const thursday = 3
  return weekdayOf(yearStart(year)) === thursday || weekdayOf(yearStart(year + 1) - 1) === thursday ? 53 : 52
}

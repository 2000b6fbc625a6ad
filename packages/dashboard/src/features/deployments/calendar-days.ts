import { toInstant, toLocalInput } from '../schema-form/zoned-time.ts'

/** A calendar date in a time zone, such as `2030-01-31`. */
export type Day = string

export type CalendarSpan = 'month' | 'week'

export const dayInZone = (at: number, zone: string): Day => toLocalInput(at, zone).slice(0, 10)

/** Represents a day by noon UTC, which no DST change affects. */
const noonUtc = (day: Day): Date => new Date(`${day}T12:00:00Z`)

export function addDays(day: Day, days: number): Day {
  const at = noonUtc(day)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

const mondayOf = (day: Day): Day => addDays(day, -((noonUtc(day).getUTCDay() + 6) % 7))

export const isSameMonth = (a: Day, b: Day): boolean => a.slice(0, 7) === b.slice(0, 7)

/** The week of a day, or all weeks of its month. Weeks start on Monday. */
export function visibleDays(day: Day, span: CalendarSpan): Day[] {
  if (span === 'week') return Array.from({ length: 7 }, (_, index) => addDays(mondayOf(day), index))
  const first = mondayOf(`${day.slice(0, 7)}-01`)
  const weeks = Math.ceil((daysBetween(first, `${day.slice(0, 7)}-01`) + daysOfMonth(day)) / 7)
  return Array.from({ length: weeks * 7 }, (_, index) => addDays(first, index))
}

const daysBetween = (from: Day, to: Day): number => Math.round((noonUtc(to).getTime() - noonUtc(from).getTime()) / 86_400_000)
const daysOfMonth = (day: Day): number => new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate()

/** Moves by months or weeks. */
export function shiftPeriod(day: Day, span: CalendarSpan, by: 1 | -1): Day {
  if (span === 'week') return addDays(day, 7 * by)
  const at = noonUtc(`${day.slice(0, 7)}-01`)
  at.setUTCMonth(at.getUTCMonth() + by)
  return at.toISOString().slice(0, 10)
}

/** Start of a day in a time zone. */
export const dayStart = (day: Day, zone: string): number => toInstant(`${day}T00:00`, zone) ?? 0

import { localText, momentOf } from '../schema-form/zoned-time.ts'

/** `2030-01-31`, as the calendar of a zone has it. */
export type Day = string

export type Span = 'month' | 'week'

export const dayOf = (at: number, zone: string): Day => localText(at, zone).slice(0, 10)

/** Noon in UTC stands for the day: no clock is moved at noon. */
const noon = (day: Day): Date => new Date(`${day}T12:00:00Z`)

export function addDays(day: Day, days: number): Day {
  const at = noon(day)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

const mondayOf = (day: Day): Day => addDays(day, -((noon(day).getUTCDay() + 6) % 7))

export const isSameMonth = (a: Day, b: Day): boolean => a.slice(0, 7) === b.slice(0, 7)

/** The days to show around one of them: its week, or the whole weeks of its month. Weeks begin on Monday. */
export function daysAround(day: Day, span: Span): Day[] {
  if (span === 'week') return Array.from({ length: 7 }, (_, index) => addDays(mondayOf(day), index))
  const first = mondayOf(`${day.slice(0, 7)}-01`)
  const weeks = Math.ceil((daysBetween(first, `${day.slice(0, 7)}-01`) + daysOfMonth(day)) / 7)
  return Array.from({ length: weeks * 7 }, (_, index) => addDays(first, index))
}

const daysBetween = (from: Day, to: Day): number => Math.round((noon(to).getTime() - noon(from).getTime()) / 86_400_000)
const daysOfMonth = (day: Day): number => new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate()

/** A month or a week on, or back. */
export function turned(day: Day, span: Span, by: 1 | -1): Day {
  if (span === 'week') return addDays(day, 7 * by)
  const at = noon(`${day.slice(0, 7)}-01`)
  at.setUTCMonth(at.getUTCMonth() + by)
  return at.toISOString().slice(0, 10)
}

/** When a day begins in a zone. */
export const dayStart = (day: Day, zone: string): number => momentOf(`${day}T00:00`, zone) ?? 0

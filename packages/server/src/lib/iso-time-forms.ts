import { civilOf, weekdayOf, yearLength, yearStart } from './schedule/calendar.ts'

/** The fields of a written time, with its offset from UTC. */
export interface TimeFields {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Digits after the decimal point. Only the first six count. */
  readonly fraction: string
  readonly offsetMinutes: number
}

type Day = Pick<TimeFields, 'year' | 'month' | 'day'>
type TimeOfDay = Omit<TimeFields, keyof Day>

const DATE_AND_TIME = /^([\dW:/-]+)(?:([T ])(.+))?$/

/** Parses the less common forms of ISO 8601 that existing clients may send: `20310201T0930Z`, `2031-W05-6`, `2031-032`, `2031-02`. */
export function parseIsoVariant(text: string): TimeFields | undefined {
  const parts = DATE_AND_TIME.exec(text)
  if (!parts) return undefined
  const [, date = '', separator, rest] = parts
  const day = parseDay(date)
  const time = rest === undefined ? midnight : parseTimeOfDay(rest)
  return day && time && (rest === undefined || areFormsCompatible(date, separator, rest)) ? { ...day, ...time } : undefined
}

/** Date and time both have separators or both have none. Mixed forms are only valid with a blank between them and without a zone. */
function areFormsCompatible(date: string, separator: string | undefined, time: string): boolean {
  if (date.includes('-')) return !/^\d{3}/.test(time)
  if (separator === ' ' && /^\d\d:[\d:.,]+$/.test(time)) return date.length >= 8
  return /^[\dW]{5,}$/.test(date) && !/^\d\d:\d\d:/.test(time)
}

const midnight: TimeOfDay = { hour: 0, minute: 0, second: 0, fraction: '', offsetMinutes: 0 }

const CALENDAR = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d)|[/:](\d\d)[/:](\d\d))?$/
const ORDINAL = /^(\d{4})-?(\d{3})$/
const WEEK = /^(\d{4})(-?)W(\d\d)(?:\2(\d))?$/

function parseDay(text: string): Day | undefined {
  const calendar = CALENDAR.exec(text)
  if (calendar) {
    const [, year, month, day, basicMonth, basicDay, otherMonth, otherDay] = calendar
    return { year: Number(year), month: Number(month ?? basicMonth ?? otherMonth ?? 1), day: Number(day ?? basicDay ?? otherDay ?? 1) }
  }
  const ordinal = ORDINAL.exec(text)
  if (ordinal) return dayOfYear(Number(ordinal[1]), Number(ordinal[2]))
  const week = WEEK.exec(text)
  return week ? dayOfWeek(Number(week[1]), Number(week[3]), Number(week[4] ?? 1)) : undefined
}

const dayOfYear = (year: number, ordinal: number): Day | undefined =>
  ordinal >= 1 && ordinal <= yearLength(year) ? civilOf(yearStart(year) + ordinal - 1) : undefined

function dayOfWeek(year: number, week: number, weekday: number): Day | undefined {
  const monday = firstMonday(year) + (week - 1) * 7
  return week >= 1 && monday < firstMonday(year + 1) && weekday <= 7 ? civilOf(monday + weekday - 1) : undefined
}

/** The Monday of week 1, the week of January 4. */
function firstMonday(year: number): number {
  const fourth = yearStart(year) + 3
  return fourth - weekdayOf(fourth)
}

const TIME = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/

function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const parts = TIME.exec(text)
  if (!parts) return undefined
  const [, hour, , minute = '0', second = '0', fraction = '', zone = 'Z'] = parts
  return { hour: Number(hour), minute: Number(minute), second: Number(second), fraction, offsetMinutes: parseOffsetMinutes(zone) }
}

/** Parses `+02`, `+0200` or `+02:00`. The minus may be U+2212. */
export function parseOffsetMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return zone[0] === '+' ? minutes : -minutes
}

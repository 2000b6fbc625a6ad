/** A day and a time of day as they are written, with the minutes by which they are ahead of UTC. */
export interface WrittenTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Digits after the point; those after the sixth do not count. */
  readonly fraction: string
  readonly offsetMinutes: number
}

type Day = Pick<WrittenTime, 'year' | 'month' | 'day'>
type TimeOfDay = Omit<WrittenTime, keyof Day>

const PARTS = /^([\dW:/-]+)(?:([T ])(.+))?$/

/** The forms of ISO 8601 beside the usual one, which existing clients may write too: `20310201T0930Z`, `2031-W05-6`, `2031-032`, `2031-02`. */
export function readOtherForm(text: string): WrittenTime | undefined {
  const parts = PARTS.exec(text)
  if (!parts) return undefined
  const [, date = '', separator, rest] = parts
  const day = readDay(date)
  const time = rest === undefined ? midnight : readTimeOfDay(rest)
  return day && time && (rest === undefined || fitTogether(date, separator, rest)) ? { ...day, ...time } : undefined
}

/** A day and a time of day are both written with separators or both without. Others go together only with a blank between and without a zone. */
function fitTogether(date: string, separator: string | undefined, time: string): boolean {
  if (date.includes('-')) return !/^\d{3}/.test(time)
  if (separator === ' ' && /^\d\d:[\d:.,]+$/.test(time)) return date.length >= 8
  return /^[\dW]{5,}$/.test(date) && !/^\d\d:\d\d:/.test(time)
}

const midnight: TimeOfDay = { hour: 0, minute: 0, second: 0, fraction: '', offsetMinutes: 0 }

const CALENDAR = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d)|[/:](\d\d)[/:](\d\d))?$/
const ORDINAL = /^(\d{4})-?(\d{3})$/
const WEEK = /^(\d{4})(-?)W(\d\d)(?:\2(\d))?$/

function readDay(text: string): Day | undefined {
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

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysOf = (year: number): number => (isLeap(year) ? 366 : 365)

function dayOfYear(year: number, ordinal: number): Day | undefined {
  if (ordinal < 1 || ordinal > daysOf(year)) return undefined
  let day = ordinal
  for (let month = 1; month <= 12; month += 1) {
    const length = month === 2 ? daysOf(year) - 337 : [4, 6, 9, 11].includes(month) ? 30 : 31
    if (day <= length) return { year, month, day }
    day -= length
  }
  return undefined
}

/** The first week of a year is the one that holds its fourth of January; weeks begin on Mondays. */
function dayOfWeek(year: number, week: number, weekday: number): Day | undefined {
  const fourth = weekdayOfFourth(year)
  const isLong = fourth === 7 || (fourth === 6 && isLeap(year))
  if (week < 1 || week > (isLong ? 53 : 52) || weekday > 7) return undefined
  const ordinal = week * 7 + weekday - (fourth + 3)
  if (ordinal < 1) return dayOfYear(year - 1, ordinal + daysOf(year - 1))
  return ordinal > daysOf(year) ? dayOfYear(year + 1, ordinal - daysOf(year)) : dayOfYear(year, ordinal)
}

/** Monday is 1 and Sunday 7. The first of January of the year 1 was a Monday. */
function weekdayOfFourth(year: number): number {
  const past = year - 1
  return ((past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) + 3) % 7) + 1
}

const TIME = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/

function readTimeOfDay(text: string): TimeOfDay | undefined {
  const parts = TIME.exec(text)
  if (!parts) return undefined
  const [, hour, , minute = '0', second = '0', fraction = '', zone = 'Z'] = parts
  return { hour: Number(hour), minute: Number(minute), second: Number(second), fraction, offsetMinutes: zoneMinutes(zone) }
}

/** `+02`, `+0200` or `+02:00`; the minus may be the sign that typesetters use. */
export function zoneMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return zone[0] === '+' ? minutes : -minutes
}

/**
 * Days of the Gregorian calendar as integers since 1970-01-01, and wall-clock times ("local seconds") as seconds since its midnight.
 * Both are independent of time zones, which are in `zone.ts`.
 */
export const SECONDS_PER_DAY = 86_400

export interface Civil {
  year: number
  month: number
  day: number
}

/** The non-negative remainder. */
export const modulo = (value: number, size: number): number => value - Math.floor(value / size) * size

export const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export const yearLength = (year: number): number => (isLeap(year) ? 366 : 365)

/** The number of days before each month, followed by the length of the year. */
export const monthStarts = (leap: boolean): readonly number[] => (leap ? LEAP_STARTS : COMMON_STARTS)

const COMMON_STARTS = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
const LEAP_STARTS = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366]

/** The first of January. */
export function yearStart(year: number): number {
  const before = year - 1
  return before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 719_162
}

export const dayNumber = ({ year, month, day }: Civil): number => yearStart(year) + monthStarts(isLeap(year))[month - 1]! + day - 1

export function yearOf(day: number): number {
  // The estimate by the mean year is off by at most one year.
  let year = Math.floor(day / 365.2425) + 1970
  if (day < yearStart(year)) year -= 1
  else if (day >= yearStart(year + 1)) year += 1
  return year
}

export function civilOf(day: number): Civil {
  const year = yearOf(day)
  const yearDay = day - yearStart(year)
  const starts = monthStarts(isLeap(year))
  let month = Math.floor(yearDay / 32) + 1
  if (yearDay >= starts[month]!) month += 1
  return { year, month, day: yearDay - starts[month - 1]! + 1 }
}

/** 0 is Monday. */
export const weekdayOf = (day: number): number => modulo(day + 3, 7)

/** Western Easter Sunday as a zero-based day of the year. */
export function easterOf(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const moon = modulo(century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 19 * golden + 15, 30)
  const full = moon - (moon > 28 || (moon === 28 && golden > 10) ? 1 : 0)
  const weekday = modulo(year + Math.floor(year / 4) + full + 2 - century + Math.floor(century / 4), 7)
  const sinceMarch = full - weekday + 28
  return monthStarts(isLeap(year))[2]! + sinceMarch - 1
}

export const isCivil = ({ year, month, day }: Civil): boolean => {
  const starts = monthStarts(isLeap(year))
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= starts[month]! - starts[month - 1]!
}

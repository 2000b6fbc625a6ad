import { easterOf, isLeap, modulo, monthStarts, weekdayOf, yearLength, yearOf, yearStart } from './calendar.ts'
import type { SearchBudget } from './local-times.ts'

/** The properties of a day. One object is reused for all days: do not keep a reference. */
export interface DayFacts {
  month: number
  day: number
  monthLength: number
  /** 1 for January 1. */
  yearDay: number
  yearLength: number
  /** 0 is Monday. */
  weekday: number
  /** The ISO week number, and the number of weeks of the year that the week belongs to. */
  week: number
  weeks: number
  /** Days after Easter Sunday of the same year. */
  sinceEaster: number
}

/** The matching days of each year. */
export interface YearDays {
  has(day: number, search: SearchBudget): boolean
  /** The first matching day from `day` to `last`. */
  next(day: number, last: number, search: SearchBudget): number | undefined
  /** The number of matching days of a year. */
  count(year: number, search: SearchBudget): number
}

interface Options {
  matches: (facts: DayFacts) => boolean
  /** The only years with matching days. */
  years?: ReadonlySet<number> | undefined
  /** The first day of a week, 0 for Monday. */
  weekStart?: number | undefined
  /** Whether the rule uses `sinceEaster`. */
  easter?: boolean | undefined
}

const NO_DAYS = { days: new Uint8Array(366), count: 0 }

/**
 * The matching days of a year depend on its length, its first weekday and the lengths of its neighbours, so there are 28 kinds of years
 * (times 35 if Easter matters). Each kind is examined once per rule, which makes long ranges cheap.
 */
export function yearDays(options: Options): YearDays {
  const kinds = new Map<number, { days: Uint8Array; count: number }>()

  function daysOf(year: number, search: SearchBudget): { days: Uint8Array; count: number } {
    if (options.years && !options.years.has(year)) return NO_DAYS
    const leap = isLeap(year) ? 1 : isLeap(year - 1) ? 2 : isLeap(year + 1) ? 3 : 0
    const kind = (options.easter ? easterOf(year) * 28 : 0) + weekdayOf(yearStart(year)) * 4 + leap
    const cached = kinds.get(kind)
    if (cached) return cached
    search.steps -= 366
    const examined = examine(year, options)
    kinds.set(kind, examined)
    return examined
  }

  // Lookups are mostly in the order of days within one year. Computing the year each time took ten times as long as the lookup.
  let current: { year: number; start: number; end: number; days: Uint8Array } = { year: 0, start: Number.NaN, end: Number.NaN, days: NO_DAYS.days }
  function yearAround(day: number, search: SearchBudget): typeof current {
    if (day >= current.start && day < current.end) return current
    const year = day === current.end ? current.year + 1 : yearOf(day)
    const start = yearStart(year)
    current = { year, start, end: start + yearLength(year), days: daysOf(year, search).days }
    return current
  }

  return {
    has(day, search) {
      const { start, days } = yearAround(day, search)
      return days[day - start] === 1
    },
    next(day, last, search) {
      for (let from = day; from <= last; from = current.end) {
        const { start, days } = yearAround(from, search)
        const found = days.indexOf(1, from - start)
        if (found >= 0) return start + found <= last ? start + found : undefined
      }
      return undefined
    },
    count: (year, search) => daysOf(year, search).count,
  }
}

function examine(year: number, { matches, weekStart = 0 }: Options): { days: Uint8Array; count: number } {
  const length = yearLength(year)
  const starts = monthStarts(isLeap(year))
  const start = yearStart(year)
  const easter = easterOf(year)
  // Week 1 is the first week with at least four days in the year.
  const weeksStart = [year - 1, year, year + 1, year + 2].map((each) => {
    const first = yearStart(each)
    const intoWeek = modulo(weekdayOf(first) - weekStart, 7)
    return intoWeek <= 3 ? first - intoWeek : first + 7 - intoWeek
  }) as [number, number, number, number]
  const days = new Uint8Array(length)
  const facts: DayFacts = { month: 1, day: 1, monthLength: 31, yearDay: 1, yearLength: length, weekday: 0, week: 1, weeks: 52, sinceEaster: 0 }
  let count = 0
  for (let index = 0; index < length; index++) {
    if (index >= starts[facts.month]!) facts.month += 1
    const before = starts[facts.month - 1]!
    facts.day = index - before + 1
    facts.monthLength = starts[facts.month]! - before
    facts.yearDay = index + 1
    facts.weekday = weekdayOf(start + index)
    facts.sinceEaster = index - easter
    const weekYear = start + index < weeksStart[1] ? 0 : start + index < weeksStart[2] ? 1 : 2
    facts.week = Math.floor((start + index - weeksStart[weekYear]!) / 7) + 1
    facts.weeks = (weeksStart[weekYear + 1]! - weeksStart[weekYear]!) / 7
    if (!matches(facts)) continue
    days[index] = 1
    count += 1
  }
  return { days, count }
}

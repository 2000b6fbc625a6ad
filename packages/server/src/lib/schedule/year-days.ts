import { easterOf, isLeap, modulo, monthStarts, weekdayOf, yearLength, yearOf, yearStart } from './calendar.ts'
import type { SearchBudget } from './local-times.ts'

/** What a rule may ask about a day. Filled in anew for each day: read it, do not keep it. */
export interface DayFacts {
  month: number
  day: number
  monthLength: number
  /** 1 for January 1. */
  yearDay: number
  yearLength: number
  /** 0 is Monday. */
  weekday: number
  /** The number of its week, and how many weeks the year has that the week belongs to. */
  week: number
  weeks: number
  /** Days after Easter Sunday of the same year. */
  sinceEaster: number
}

/** The days of each year that a rule allows. */
export interface YearDays {
  has(day: number, search: SearchBudget): boolean
  /** The first allowed day from `day` to `last`. */
  next(day: number, last: number, search: SearchBudget): number | undefined
  /** How many days of a year are allowed. */
  count(year: number, search: SearchBudget): number
}

interface Options {
  matches: (facts: DayFacts) => boolean
  /** Other years have no days. */
  years?: ReadonlySet<number> | undefined
  /** The day on which weeks begin, 0 for Monday. */
  weekStart?: number | undefined
  /** The rule asks for `sinceEaster`. */
  easter?: boolean | undefined
}

const NO_DAYS = { days: new Uint8Array(366), count: 0 }

/**
 * A year's days depend on its length, the weekday it begins with and its neighbours' lengths, so there are 28 kinds of years
 * (times 35 if Easter matters). A rule looks at each kind once, which makes centuries cheap.
 */
export function yearDays(options: Options): YearDays {
  const kinds = new Map<number, { days: Uint8Array; count: number }>()

  function daysOf(year: number, search: SearchBudget): { days: Uint8Array; count: number } {
    if (options.years && !options.years.has(year)) return NO_DAYS
    const leap = isLeap(year) ? 1 : isLeap(year - 1) ? 2 : isLeap(year + 1) ? 3 : 0
    const kind = (options.easter ? easterOf(year) * 28 : 0) + weekdayOf(yearStart(year)) * 4 + leap
    const known = kinds.get(kind)
    if (known) return known
    search.steps -= 366
    const examined = examine(year, options)
    kinds.set(kind, examined)
    return examined
  }

  // Questions come in the order of days, mostly within one year: working it out anew took ten times as long as the answer.
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
  // Week 1 is the one with four days or more in the new year.
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
    const belongs = start + index < weeksStart[1] ? 0 : start + index < weeksStart[2] ? 1 : 2
    facts.week = Math.floor((start + index - weeksStart[belongs]!) / 7) + 1
    facts.weeks = (weeksStart[belongs + 1]! - weeksStart[belongs]!) / 7
    if (!matches(facts)) continue
    days[index] = 1
    count += 1
  }
  return { days, count }
}

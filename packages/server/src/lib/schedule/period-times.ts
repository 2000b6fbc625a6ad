import { civilOf, dayNumber, modulo, SECONDS_PER_DAY, weekdayOf, yearOf, yearStart } from './calendar.ts'
import { type CountedTimes, type SearchBudget, takeStep } from './local-times.ts'
import { firstAtOrAfter, sortUnique, splitTime, type TimesOfDay } from './times-of-day.ts'
import type { YearDays } from './year-days.ts'

/** Periods of days. Period 0 contains the start of the rule. */
export interface Periods {
  indexOf(day: number): number
  firstDay(index: number): number
}

export const years = (start: number): Periods => {
  const first = yearOf(start)
  return { indexOf: (day) => yearOf(day) - first, firstDay: (index) => yearStart(first + index) }
}

export const months = (start: number): Periods => {
  const monthOf = (day: number) => {
    const { year, month } = civilOf(day)
    return year * 12 + month - 1
  }
  const first = monthOf(start)
  return {
    indexOf: (day) => monthOf(day) - first,
    firstDay: (index) => dayNumber({ year: Math.floor((first + index) / 12), month: modulo(first + index, 12) + 1, day: 1 }),
  }
}

export const weeks = (start: number, weekStart: number): Periods => {
  const first = start - modulo(weekdayOf(start) - weekStart, 7)
  return {
    indexOf: (day) => Math.floor((day - first) / 7),
    // The first week begins with the rule, because BYSETPOS counts from there.
    firstDay: (index) => (index === 0 ? start : first + index * 7),
  }
}

interface PeriodRule {
  periods: Periods
  days: YearDays
  times: TimesOfDay
  start: number
  /** The interval in periods. */
  every: number
  /** BYSETPOS: the selected times of a period, from 1, or from -1 at the end; undefined for all. */
  positions: readonly number[] | undefined
}

/** The times on matching days of each week, month or year. */
export function periodTimes({ periods, days, times, start, every, positions }: PeriodRule): CountedTimes {
  const startDay = splitTime(start).day

  /** The first time at or after `from` in one period. */
  function nextIn(index: number, from: number, search: SearchBudget): number | undefined {
    const end = periods.firstDay(index + 1)
    if (positions) return firstAtOrAfter(timesAtPositions(index, search), from)
    let { day, second } = splitTime(Math.max(from, periods.firstDay(index) * SECONDS_PER_DAY))
    while (day < end) {
      const found = days.next(day, end - 1, search)
      if (found === undefined) return undefined
      const at = times.indexFrom(found > day ? 0 : second)
      if (at < times.size) return found * SECONDS_PER_DAY + times.at(at)
      day = found + 1
      second = 0
    }
    return undefined
  }

  let last: { index: number; times: number[] } | undefined
  /** The times of one period at `positions`. */
  function timesAtPositions(index: number, search: SearchBudget): number[] {
    if (last?.index === index) return last.times
    const allowed = daysIn(index, search)
    const size = allowed.length * times.size
    const chosen = new Set<number>()
    for (const position of positions ?? []) {
      const at = position > 0 ? position - 1 : size + position
      if (at >= 0 && at < size) chosen.add(allowed[Math.floor(at / times.size)]! * SECONDS_PER_DAY + times.at(at % times.size))
    }
    search.steps -= positions?.length ?? 0
    last = { index, times: sortUnique(chosen).filter((time) => time >= start) }
    return last.times
  }

  function daysIn(index: number, search: SearchBudget): number[] {
    const allowed: number[] = []
    const last = periods.firstDay(index + 1) - 1
    for (let day = days.next(periods.firstDay(index), last, search); day !== undefined; day = days.next(day + 1, last, search)) allowed.push(day)
    return allowed
  }

  return {
    coversEveryHour: times.coversEveryHour && !positions,
    next(from, search) {
      const least = Math.max(from, start)
      const index = periods.indexOf(splitTime(least).day)
      for (let period = index - modulo(index, every); takeStep(search); period += every) {
        if (periods.firstDay(period) * SECONDS_PER_DAY > search.last) return undefined
        const time = nextIn(period, least, search)
        if (time !== undefined) return time <= search.last ? time : undefined
      }
      return undefined
    },
    countAtMost: (until) => (splitTime(until).day - startDay + 1) * times.size,
    nth(n, search) {
      let left = n
      for (let period = 0; periods.firstDay(period) * SECONDS_PER_DAY <= search.last && takeStep(search); period += every) {
        if (positions) {
          const found = timesAtPositions(period, search)
          if (left <= found.length) return found[left - 1]
          left -= found.length
          continue
        }
        const allowed = daysIn(period, search).filter((day) => day >= startDay)
        const before = allowed[0] === startDay ? times.indexFrom(start - startDay * SECONDS_PER_DAY) : 0
        const size = allowed.length * times.size
        if (left <= size - before) {
          const at = before + left - 1
          return allowed[Math.floor(at / times.size)]! * SECONDS_PER_DAY + times.at(at % times.size)
        }
        left -= size - before
      }
      return undefined
    },
  }
}

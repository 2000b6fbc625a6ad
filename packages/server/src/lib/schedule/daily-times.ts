import { modulo, SECONDS_PER_DAY, yearLength, yearOf, yearStart } from './calendar.ts'
import { type CountedTimes, takeStep } from './local-times.ts'
import { splitTime, type TimesOfDay } from './times-of-day.ts'
import type { YearDays } from './year-days.ts'

interface Daily {
  days: YearDays
  times: TimesOfDay
  /** The earliest time. `every` counts from its day. */
  start: number
  /** The interval in days. */
  every: number
}

/** The same times of day on each matching day: cron, and FREQ=DAILY. */
export function dailyTimes({ days, times, start, every }: Daily): CountedTimes {
  const first = splitTime(start)
  return {
    coversEveryHour: times.coversEveryHour,
    next(from, search) {
      let { day, second } = splitTime(Math.max(from, start))
      const lastDay = Math.floor(search.last / SECONDS_PER_DAY)
      while (takeStep(search)) {
        const found = nextDay(day)
        if (found === undefined) return undefined
        if (found > day) second = 0
        day = found
        const index = times.indexFrom(second)
        if (index < times.size) {
          const time = day * SECONDS_PER_DAY + times.at(index)
          return time <= search.last ? time : undefined
        }
        day += 1
        second = 0
      }
      return undefined

      function nextDay(from: number): number | undefined {
        if (every === 1) return days.next(from, lastDay, search)
        for (let day = from + modulo(first.day - from, every); day <= lastDay && takeStep(search); day += every) if (days.has(day, search)) return day
        return undefined
      }
    },
    countAtMost: (until) => (Math.floor((splitTime(until).day - first.day) / every) + 1) * times.size,
    nth(n, search) {
      let left = n
      let { day, second } = first
      while (day * SECONDS_PER_DAY <= search.last && takeStep(search)) {
        if (days.has(day, search)) {
          const index = times.indexFrom(second)
          if (left <= times.size - index) return day * SECONDS_PER_DAY + times.at(index + left - 1)
          left -= times.size - index
        }
        day += every
        second = 0
        // Skips whole years, so that a large COUNT does not iterate over every day.
        for (let year = yearOf(day); every === 1 && day === yearStart(year) && days.count(year, search) * times.size < left; year += 1) {
          if (day * SECONDS_PER_DAY > search.last) return undefined
          left -= days.count(year, search) * times.size
          day += yearLength(year)
        }
      }
      return undefined
    },
  }
}

import { modulo, SECONDS_PER_DAY, yearLength, yearOf, yearStart } from './calendar.ts'
import { type CountedTimes, type SearchBudget, takeStep } from './local-times.ts'
import { lowerBound, splitTime } from './times-of-day.ts'
import type { YearDays } from './year-days.ts'

interface SteppedRule {
  /** An hour, a minute or a second, in seconds. */
  unit: number
  /** The interval in units, counted from the unit that contains `start`. */
  every: number
  start: number
  days: YearDays
  /** The allowed units of a day, counted from midnight, sorted; undefined for all. */
  within: readonly number[] | undefined
  /** The times within a unit in seconds, sorted. */
  offsets: readonly number[]
  coversEveryHour: boolean
}

/**
 * Times at an interval of hours, minutes or seconds in wall-clock time.
 *
 * `every` may not divide a day, so the units of a day depend on the remainder at its start. A day is searched in steps of `every` or
 * through the list of allowed units, whichever is shorter: `FREQ=SECONDLY;INTERVAL=7` reaches 09:00:00 once a week, which would
 * otherwise take 86,400 steps.
 */
export function steppedTimes({ unit, every, start, days, within, offsets, coversEveryHour }: SteppedRule): CountedTimes {
  const perDay = SECONDS_PER_DAY / unit
  const origin = Math.floor(start / unit)
  // Days differ by multiples of the greatest common divisor, so units with another remainder are never reached.
  const common = greatestCommonDivisor(every, perDay)
  const listed = within?.filter((index) => modulo(index - origin, common) === 0)
  const sparse = listed && listed.length < perDay / every ? listed : undefined
  const flags = listed && !sparse ? toFlags(listed, perDay) : undefined
  const hasEqualDays = common === every

  /** The first unit of a day at or after `from`, both counted from midnight. */
  function unitIn(day: number, from: number, search: SearchBudget): number | undefined {
    const phase = modulo(origin - day * perDay, every)
    if (sparse) {
      for (let at = lowerBound(sparse, from); at < sparse.length; at++) {
        if (modulo(sparse[at]! - phase, every) === 0) return sparse[at]
        search.steps -= 1
      }
      return undefined
    }
    for (let index = from + modulo(phase - from, every); index < perDay; index += every) {
      if (!flags || flags[index] === 1) return index
      search.steps -= 1
    }
    return undefined
  }

  /** The first unit at or after `from`, both counted from 1970. */
  function nextUnit(from: number, search: SearchBudget): number | undefined {
    const lastDay = Math.floor(search.last / SECONDS_PER_DAY)
    for (let least = from; takeStep(search); ) {
      const reached = least + modulo(origin - least, every)
      const day = days.next(Math.floor(reached / perDay), lastDay, search)
      if (day === undefined) return undefined
      const index = unitIn(day, Math.max(0, reached - day * perDay), search)
      if (index !== undefined) return day * perDay + index
      least = (day + 1) * perDay
    }
    return undefined
  }

  const sizes = new Map<number, number>()
  /** The number of units of a day from `from` on, cached by phase. */
  function unitsIn(day: number, from: number, search: SearchBudget): number {
    const phase = modulo(origin - day * perDay, every)
    if (listed && hasEqualDays && from === 0) return listed.length
    if (!listed) return Math.max(0, Math.ceil((perDay - from - modulo(phase - from, every)) / every))
    const cached = from === 0 ? sizes.get(phase) : undefined
    if (cached !== undefined) return cached
    let size = 0
    for (let index = unitIn(day, from, search); index !== undefined; index = unitIn(day, index + 1, search)) size += 1
    if (from === 0) sizes.set(phase, size)
    return size
  }

  /** The `n`th time of a day at or after a unit. The day must have that many. */
  function timeIn(day: number, from: number, n: number, search: SearchBudget): number {
    let index = unitIn(day, from, search)!
    for (let units = Math.ceil(n / offsets.length); units > 1; units--) index = unitIn(day, index + 1, search)!
    return (day * perDay + index) * unit + offsets[(n - 1) % offsets.length]!
  }

  return {
    coversEveryHour,
    next(from, search) {
      if (offsets.length === 0 || listed?.length === 0) return undefined
      const least = Math.max(from, start)
      let index = nextUnit(Math.floor(least / unit), search)
      if (index === undefined) return undefined
      let at = lowerBound(offsets, least - index * unit)
      if (at === offsets.length) {
        index = nextUnit(index + 1, search)
        at = 0
      }
      const time = index === undefined ? Infinity : index * unit + offsets[at]!
      return time <= search.last ? time : undefined
    },
    countAtMost: (until) => (Math.floor((Math.floor(until / unit) - origin) / every) + 1) * offsets.length,
    nth(n, search) {
      if (offsets.length === 0 || listed?.length === 0) return undefined
      const { day: firstDay } = splitTime(start)
      const firstUnit = origin - firstDay * perDay
      const startsOnUnit = days.has(firstDay, search) && unitIn(firstDay, firstUnit, search) === firstUnit
      let left = n + (startsOnUnit ? lowerBound(offsets, start - origin * unit) : 0)
      for (let day = firstDay; day * SECONDS_PER_DAY <= search.last && takeStep(search); day += 1) {
        // Skips whole years if all days have the same units.
        for (let year = yearOf(day); hasEqualDays && day > firstDay && day === yearStart(year); year += 1) {
          const size = days.count(year, search) * unitsIn(day, 0, search) * offsets.length
          if (left <= size || day * SECONDS_PER_DAY > search.last) break
          left -= size
          day += yearLength(year)
        }
        if (!days.has(day, search)) continue
        const from = day === firstDay ? firstUnit : 0
        const size = unitsIn(day, from, search) * offsets.length
        if (left <= size) return timeIn(day, from, left, search)
        left -= size
      }
      return undefined
    },
  }
}

function toFlags(indexes: readonly number[], size: number): Uint8Array {
  const flags = new Uint8Array(size)
  for (const index of indexes) flags[index] = 1
  return flags
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

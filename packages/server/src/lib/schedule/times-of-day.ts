import { SECONDS_PER_DAY } from './calendar.ts'

/** Sorted times of a day as seconds since midnight. */
export interface TimesOfDay {
  size: number
  at(index: number): number
  /** The index of the first time at or after `second`; `size` if there is none. */
  indexFrom(second: number): number
  /** Whether all 24 hours occur. */
  coversEveryHour: boolean
}

export interface TimeOfDayFields {
  hours: readonly number[]
  minutes: readonly number[]
  seconds: readonly number[]
}

/** All combinations of hours, minutes and seconds, up to 86,400, computed on demand. */
export function createTimesOfDay(parts: TimeOfDayFields): TimesOfDay {
  const hours = sortUnique(parts.hours)
  const minutes = sortUnique(parts.minutes)
  const seconds = sortUnique(parts.seconds)
  const perHour = minutes.length * seconds.length
  return {
    size: hours.length * perHour,
    coversEveryHour: hours.length === 24,
    at: (index) =>
      hours[Math.floor(index / perHour)]! * 3600 + minutes[Math.floor((index % perHour) / seconds.length)]! * 60 + seconds[index % seconds.length]!,
    indexFrom(second) {
      const hour = Math.floor(second / 3600)
      const hourIndex = lowerBound(hours, hour)
      if (hours[hourIndex] !== hour) return hourIndex * perHour
      const minute = Math.floor((second % 3600) / 60)
      const minuteIndex = lowerBound(minutes, minute)
      const before = hourIndex * perHour + minuteIndex * seconds.length
      return minutes[minuteIndex] === minute ? before + lowerBound(seconds, second % 60) : before
    },
  }
}

/** Individually listed times of a day. */
export function listTimesOfDay(seconds: readonly number[]): TimesOfDay {
  const sorted = sortUnique(seconds)
  return { size: sorted.length, coversEveryHour: false, at: (index) => sorted[index]!, indexFrom: (second) => lowerBound(sorted, second) }
}

/** The index of the first value at or above `least`, or the length. */
export function lowerBound(sorted: ArrayLike<number>, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

export const firstAtOrAfter = (sorted: readonly number[], least: number): number | undefined => sorted[lowerBound(sorted, least)]

export const sortUnique = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

export const splitTime = (local: number): { day: number; second: number } => {
  const day = Math.floor(local / SECONDS_PER_DAY)
  return { day, second: local - day * SECONDS_PER_DAY }
}

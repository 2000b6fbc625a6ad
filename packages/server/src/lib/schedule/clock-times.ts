import { SECONDS_PER_DAY } from './calendar.ts'

/** Times of a day, in order, as seconds since midnight. */
export interface ClockTimes {
  size: number
  at(index: number): number
  /** Where the first time at or after `second` stands; `size` when there is none. */
  indexFrom(second: number): number
  /** All 24 hours are among them. */
  everyHour: boolean
}

export interface ClockParts {
  hours: readonly number[]
  minutes: readonly number[]
  seconds: readonly number[]
}

/** Every hour with every minute with every second, which may be 86,400 times: they are worked out when asked for. */
export function clockTimes(parts: ClockParts): ClockTimes {
  const hours = inOrder(parts.hours)
  const minutes = inOrder(parts.minutes)
  const seconds = inOrder(parts.seconds)
  const perHour = minutes.length * seconds.length
  return {
    size: hours.length * perHour,
    everyHour: hours.length === 24,
    at: (index) =>
      hours[Math.floor(index / perHour)]! * 3600 + minutes[Math.floor((index % perHour) / seconds.length)]! * 60 + seconds[index % seconds.length]!,
    indexFrom(second) {
      const hour = Math.floor(second / 3600)
      const hourIndex = firstFrom(hours, hour)
      if (hours[hourIndex] !== hour) return hourIndex * perHour
      const minute = Math.floor((second % 3600) / 60)
      const minuteIndex = firstFrom(minutes, minute)
      const before = hourIndex * perHour + minuteIndex * seconds.length
      return minutes[minuteIndex] === minute ? before + firstFrom(seconds, second % 60) : before
    },
  }
}

/** Single times of a day, no longer a product of parts. */
export function pickedClockTimes(seconds: readonly number[]): ClockTimes {
  const sorted = inOrder(seconds)
  return { size: sorted.length, everyHour: false, at: (index) => sorted[index]!, indexFrom: (second) => firstFrom(sorted, second) }
}

/** Where the first value at or above `least` stands, or the length. */
export function firstFrom(sorted: ArrayLike<number>, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}

export const nextOf = (sorted: readonly number[], least: number): number | undefined => sorted[firstFrom(sorted, least)]

export const inOrder = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

export const splitTime = (local: number): { day: number; second: number } => {
  const day = Math.floor(local / SECONDS_PER_DAY)
  return { day, second: local - day * SECONDS_PER_DAY }
}

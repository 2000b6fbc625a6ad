import { firstAtOrAfter, sortUnique } from './times-of-day.ts'

/**
 * Ordered wall-clock times of a rule, before time zones apply.
 *
 * Every kind of rule computes its first time at or after a given one by arithmetic instead of iterating from its start, so that a rule
 * that began in 1970 costs no more than one that begins today.
 */
export interface LocalTimes {
  /** The rule does not restrict hours, so a local time that occurs twice fires twice. */
  readonly coversEveryHour: boolean
  /** The first time at or after `from` in local seconds; undefined if the search ends before. */
  next(from: number, search: SearchBudget): number | undefined
}

/** Times with a start, which can be counted. */
export interface CountedTimes extends LocalTimes {
  /** An upper bound of the number of times until then. */
  countAtMost(until: number): number
  /** The `n`th time, beginning with 1. */
  nth(n: number, search: SearchBudget): number | undefined
}

/**
 * Limits one search. A rule may never match, or its exclusions may cancel every second of it. Each examined day, period or candidate
 * costs a step; without steps left the rule counts as finished.
 */
export interface SearchBudget {
  /** The last time to consider. */
  last: number
  steps: number
}

/** Spends a step; false if none is left. */
export const takeStep = (search: SearchBudget): boolean => search.steps-- > 0

export interface LocalTimesSet {
  include: LocalTimes[]
  exclude: LocalTimes[]
}

export interface LocalTime {
  local: number
  coversEveryHour: boolean
}

export function* mergeTimes({ include, exclude }: LocalTimesSet, from: number, search: SearchBudget): Generator<LocalTime> {
  const nextIncluded = include.map((times) => times.next(from, search) ?? Infinity)
  const nextExcluded = exclude.map((times) => times.next(from, search) ?? Infinity)
  while (search.steps > 0) {
    search.steps -= 3 + include.length + exclude.length
    const local = Math.min(...nextIncluded)
    if (local === Infinity) return
    let everyHour = false
    for (const [index, times] of include.entries()) {
      if (nextIncluded[index] !== local) continue
      everyHour ||= times.coversEveryHour
      nextIncluded[index] = times.next(local + 1, search) ?? Infinity
    }
    for (const [index, times] of exclude.entries()) {
      if (nextExcluded[index]! < local) nextExcluded[index] = times.next(local, search) ?? Infinity
    }
    // Without steps left an exclusion may be missing, so no time is returned.
    if (search.steps <= 0) return
    if (!nextExcluded.includes(local)) yield { local, coversEveryHour: everyHour }
  }
}

/** Individually listed times. */
export function listedTimes(times: Iterable<number>): LocalTimes {
  const sorted = sortUnique(times)
  return {
    coversEveryHour: false,
    next(from, search) {
      const time = firstAtOrAfter(sorted, from)
      return time !== undefined && time <= search.last ? time : undefined
    },
  }
}

/** Limits the times of a rule to those up to `last` (inclusive) and to the first `count`. */
export function boundedTimes(times: CountedTimes, { last = Infinity, count }: { last?: number | undefined; count?: number | undefined }): LocalTimes {
  let end: number | undefined
  return {
    coversEveryHour: times.coversEveryHour,
    next(from, search) {
      if (count !== undefined && count <= 0) return undefined
      const time = times.next(from, search)
      if (time === undefined || time > last) return undefined
      if (count === undefined || times.countAtMost(time) <= count) return time
      end ??= times.nth(count, search) ?? Infinity
      return time <= end && search.steps > 0 ? time : undefined
    },
  }
}

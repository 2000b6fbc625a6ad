import { firstAtOrAfter, sortUnique } from './times-of-day.ts'

/**
 * Wall-clock times in order: what a rule comes down to before any time zone has a say.
 *
 * Every kind of rule answers one question, "which is your first time at or after this one?", by arithmetic from the question
 * and never by counting up from its start. So a rule that began in 1970 costs no more than one that begins today.
 */
export interface LocalTimes {
  /** The rule names no hours of the day, so that a time which clocks show twice is meant twice. */
  readonly coversEveryHour: boolean
  /** The first time at or after `from`, in local seconds, if it comes before the search ends. */
  next(from: number, search: SearchBudget): number | undefined
}

/** Times that begin somewhere and can therefore be counted. */
export interface CountedTimes extends LocalTimes {
  /** There are no more than so many until then, and often fewer. */
  countAtMost(until: number): number
  /** The time that is the `n`th, the first being 1. */
  nth(n: number, search: SearchBudget): number | undefined
}

/**
 * How far one question may go. Rules can be written that never come true, or whose exclusions cancel them second by second;
 * each day, period or candidate looked at costs a step, and with no steps left a rule is taken to be over.
 */
export interface SearchBudget {
  /** No time after this one counts. */
  last: number
  steps: number
}

/** Uses up a step, if there is one. */
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
  const ahead = include.map((times) => times.next(from, search) ?? Infinity)
  const barred = exclude.map((times) => times.next(from, search) ?? Infinity)
  while (search.steps > 0) {
    search.steps -= 3 + include.length + exclude.length
    const local = Math.min(...ahead)
    if (local === Infinity) return
    let everyHour = false
    for (const [index, times] of include.entries()) {
      if (ahead[index] !== local) continue
      everyHour ||= times.coversEveryHour
      ahead[index] = times.next(local + 1, search) ?? Infinity
    }
    for (const [index, times] of exclude.entries()) {
      if (barred[index]! < local) barred[index] = times.next(local, search) ?? Infinity
    }
    // Out of steps, an exclusion may have been missed: better no time than one that is excluded.
    if (search.steps <= 0) return
    if (!barred.includes(local)) yield { local, coversEveryHour: everyHour }
  }
}

/** Times that are listed one by one. */
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

/** The times of a rule up to and including `last`, if given, and no more than `count` of them, if given. */
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

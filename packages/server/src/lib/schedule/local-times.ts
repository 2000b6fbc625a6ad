import { inOrder, nextOf } from './clock-times.ts'

/**
 * Wall-clock times in order: what a rule comes down to before any time zone has a say.
 *
 * Every kind of rule answers one question, "which is your first time at or after this one?", by arithmetic from the question
 * and never by counting up from its start. So a rule that began in 1970 costs no more than one that begins today.
 */
export interface LocalTimes {
  /** The rule names no hours of the day, so that a time which clocks show twice is meant twice. */
  readonly everyHour: boolean
  /** The first time at or after `from`, in local seconds, if it comes before the search ends. */
  next(from: number, search: Search): number | undefined
}

/** Times that begin somewhere and can therefore be counted. */
export interface CountedTimes extends LocalTimes {
  /** There are no more than so many until then, and often fewer. */
  most(until: number): number
  /** The time that is the `n`th, the first being 1. */
  nth(n: number, search: Search): number | undefined
}

/**
 * How far one question may go. Rules can be written that never come true, or whose exclusions cancel them second by second;
 * each day, period or candidate looked at costs a step, and with no steps left a rule is taken to be over.
 */
export interface Search {
  /** No time after this one counts. */
  last: number
  steps: number
}

/** Uses up a step, if there is one. */
export const step = (search: Search): boolean => search.steps-- > 0

export interface LocalTimesSet {
  include: LocalTimes[]
  exclude: LocalTimes[]
}

export interface LocalTime {
  local: number
  everyHour: boolean
}

export function* walk({ include, exclude }: LocalTimesSet, from: number, search: Search): Generator<LocalTime> {
  const ahead = include.map((times) => times.next(from, search) ?? Infinity)
  const barred = exclude.map((times) => times.next(from, search) ?? Infinity)
  while (search.steps > 0) {
    search.steps -= 3 + include.length + exclude.length
    const local = Math.min(...ahead)
    if (local === Infinity) return
    let everyHour = false
    for (const [index, times] of include.entries()) {
      if (ahead[index] !== local) continue
      everyHour ||= times.everyHour
      ahead[index] = times.next(local + 1, search) ?? Infinity
    }
    for (const [index, times] of exclude.entries()) {
      if (barred[index]! < local) barred[index] = times.next(local, search) ?? Infinity
    }
    // Out of steps, an exclusion may have been missed: better no time than one that is excluded.
    if (search.steps <= 0) return
    if (!barred.includes(local)) yield { local, everyHour }
  }
}

/** Times that are listed one by one. */
export function listedTimes(times: Iterable<number>): LocalTimes {
  const sorted = inOrder(times)
  return {
    everyHour: false,
    next(from, search) {
      const time = nextOf(sorted, from)
      return time !== undefined && time <= search.last ? time : undefined
    },
  }
}

/** The times of a rule up to and including `last`, if given, and no more than `count` of them, if given. */
export function endingTimes(times: CountedTimes, { last = Infinity, count }: { last?: number | undefined; count?: number | undefined }): LocalTimes {
  let end: number | undefined
  return {
    everyHour: times.everyHour,
    next(from, search) {
      if (count !== undefined && count <= 0) return undefined
      const time = times.next(from, search)
      if (time === undefined || time > last) return undefined
      if (count === undefined || times.most(time) <= count) return time
      end ??= times.nth(count, search) ?? Infinity
      return time <= end && search.steps > 0 ? time : undefined
    },
  }
}

import { MICROS_PER_SECOND, type Micros } from '../time.ts'
import { SECONDS_PER_DAY } from './calendar.ts'
import { type LocalTimesSet, mergeTimes, type SearchBudget } from './local-times.ts'
import type { Zone } from './zone.ts'

/** The part of time that is asked about, both ends included, and how many times at most. */
export interface TimeWindow {
  after: Micros
  until?: Micros | undefined
  limit: number
}

/** The last instant that is a safe integer with two days to spare, in 2255. */
export const LAST_INSTANT: Micros = Number.MAX_SAFE_INTEGER - 2 * SECONDS_PER_DAY * MICROS_PER_SECOND

/** About 30 ms at the very worst. Ordinary rules need a few for each time, and 366 for each of the 28 kinds of years they meet. */
const STEPS_MAX = 250_000

/**
 * When a zone's clocks show the times of a set.
 *
 * Times come in the order of the clock on the wall, which is not quite the order of time: while clocks are set back the
 * second round comes after all of the first, and times that were skipped fall among those that follow. They wait in
 * `pending` until the walk has passed them.
 */
export function toInstants(times: LocalTimesSet, zone: Zone, { after, until = LAST_INSTANT, limit }: TimeWindow): Micros[] {
  const from = Math.ceil(after / MICROS_PER_SECOND)
  const to = Math.floor(Math.min(until, LAST_INSTANT) / MICROS_PER_SECOND)
  const found: number[] = []
  const pending: number[] = []
  // Local times run ahead of instants by at most a day's offset, hence the margin.
  const search: SearchBudget = { last: to + SECONDS_PER_DAY, steps: STEPS_MAX }

  /** Whether there is room for more. */
  function add(instant: number): boolean {
    if (instant > to || found.length >= limit) return false
    if (instant >= from && instant !== found.at(-1)) found.push(instant)
    return found.length < limit
  }
  const addPending = (before: number): boolean => {
    while (pending.length > 0 && pending[0]! <= before) if (!add(pending.shift()!)) return false
    return true
  }
  const wait = (instant: number) => {
    let at = pending.length
    while (at > 0 && pending[at - 1]! > instant) at -= 1
    pending.splice(at, 0, instant)
  }

  if (from <= to && limit > 0) {
    for (const { local, coversEveryHour: everyHour } of mergeTimes(times, from + zone.minOffsetNear(from), search)) {
      const { first, second, skipped } = zone.instantsOf(local)
      if (skipped) wait(first)
      else {
        if (!addPending(first) || !add(first)) break
        if (second !== undefined && everyHour) wait(second)
      }
    }
    addPending(Infinity)
  }
  return found.map((instant) => instant * MICROS_PER_SECOND)
}

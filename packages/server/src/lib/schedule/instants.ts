import { MICROS_PER_SECOND, type Micros } from '../time.ts'
import { SECONDS_PER_DAY } from './calendar.ts'
import { type LocalTimesSet, mergeTimes, type SearchBudget } from './local-times.ts'
import type { Zone } from './zone.ts'

/** A time range with inclusive bounds, and the maximum number of times. */
export interface TimeWindow {
  after: Micros
  until?: Micros | undefined
  limit: number
}

/** The last supported time, in 2255: two days before the end of safe integers. */
export const LAST_INSTANT: Micros = Number.MAX_SAFE_INTEGER - 2 * SECONDS_PER_DAY * MICROS_PER_SECOND

/** About 30 ms in the worst case. Ordinary rules need a few steps per time, and 366 for each of the 28 kinds of years. */
const STEPS_MAX = 250_000

/**
 * Converts the local times of a set to instants.
 *
 * Local times are ordered by wall clock, which differs from the order of instants: when clocks are set back, the repeated times come
 * after all of the first ones, and skipped times fall between later ones. Both wait in `pending` until their turn.
 */
export function toInstants(times: LocalTimesSet, zone: Zone, { after, until = LAST_INSTANT, limit }: TimeWindow): Micros[] {
  const from = Math.ceil(after / MICROS_PER_SECOND)
  const to = Math.floor(Math.min(until, LAST_INSTANT) / MICROS_PER_SECOND)
  const found: number[] = []
  const pending: number[] = []
  // Local times are ahead of instants by less than a day.
  const search: SearchBudget = { last: to + SECONDS_PER_DAY, steps: STEPS_MAX }

  /** Returns whether more times fit. */
  function add(instant: number): boolean {
    if (instant > to || found.length >= limit) return false
    if (instant >= from && instant !== found.at(-1)) found.push(instant)
    return found.length < limit
  }
  const addPending = (before: number): boolean => {
    while (pending.length > 0 && pending[0]! <= before) if (!add(pending.shift()!)) return false
    return true
  }
  const addToPending = (instant: number) => {
    let at = pending.length
    while (at > 0 && pending[at - 1]! > instant) at -= 1
    pending.splice(at, 0, instant)
  }

  if (from <= to && limit > 0) {
    for (const { local, coversEveryHour } of mergeTimes(times, from + zone.minOffsetNear(from), search)) {
      const { first, second, skipped } = zone.instantsOf(local)
      if (skipped) addToPending(first)
      else {
        if (!addPending(first) || !add(first)) break
        if (second !== undefined && coversEveryHour) addToPending(second)
      }
    }
    addPending(Infinity)
  }
  return found.map((instant) => instant * MICROS_PER_SECOND)
}

import { MICROS_PER_SECOND, type Micros } from '../time.ts'
import { modulo, SECONDS_PER_DAY } from './calendar.ts'
import { LAST_INSTANT, type Window } from './instants.ts'
import type { Zone } from './zone.ts'

const DAY_MICROS = SECONDS_PER_DAY * MICROS_PER_SECOND

/**
 * Every `interval` before and after `anchor`. Shorter ones than a day are spans of real time. Longer ones are counted on the
 * clock on the wall, so that a daily interval keeps its time of day when clocks change, whichever day one asks from.
 */
export function intervalInstants(interval: Micros, anchor: Micros, zone: Zone, window: Window): Micros[] {
  return interval < DAY_MICROS ? realTime(interval, anchor, window) : wallTime(interval, anchor, zone, window)
}

function realTime(interval: Micros, anchor: Micros, { after, until = LAST_INSTANT, limit }: Window): Micros[] {
  const found: Micros[] = []
  const end = Math.min(until, LAST_INSTANT)
  // Remainders of doubles are exact, quotients are not.
  for (let time = after + ((interval - remainder(after - anchor, interval)) % interval); time <= end && found.length < limit; time += interval) {
    found.push(time)
  }
  return found
}

function wallTime(interval: Micros, anchor: Micros, zone: Zone, { after, until = LAST_INSTANT, limit }: Window): Micros[] {
  const found: Micros[] = []
  const end = Math.min(until, LAST_INSTANT)
  const anchorLocal = anchor + zone.offsetAt(Math.floor(anchor / MICROS_PER_SECOND)) * MICROS_PER_SECOND
  const least = after + zone.leastOffsetNear(Math.floor(after / MICROS_PER_SECOND)) * MICROS_PER_SECOND
  for (let local = least + ((interval - remainder(least - anchorLocal, interval)) % interval); found.length < limit; local += interval) {
    const fraction = modulo(local, MICROS_PER_SECOND)
    // The anchor is an instant of its own, even where clocks show its time twice.
    const time = local === anchorLocal ? anchor : zone.shownAt((local - fraction) / MICROS_PER_SECOND).first * MICROS_PER_SECOND + fraction
    if (time > end) break
    // A calendar that skips a whole day puts two daily times on one instant.
    if (time >= after && time !== found.at(-1)) found.push(time)
  }
  return found
}

const remainder = (value: number, size: number): number => (value < 0 ? (size + (value % size)) % size : value % size)

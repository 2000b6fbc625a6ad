import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros, normaliseTime } from '../time.ts'
import { modulo } from './calendar.ts'
import { LAST_INSTANT, type TimeWindow } from './instants.ts'
import { readRRuleDate } from './rrule-parts.ts'
import type { Zone } from './zone.ts'

export const intervalMicros = (seconds: number): Micros => Math.round(seconds * MICROS_PER_SECOND)

/**
 * Multiples of `interval` before and after `anchor`. Intervals below a day are elapsed time. Longer ones are counted in wall-clock
 * time, so that a daily interval keeps its time of day when clocks change.
 */
export function intervalInstants(interval: Micros, anchor: string, zone: Zone, window: TimeWindow): Micros[] {
  const { seconds, micros } = readAnchor(anchor)
  if (interval < MICROS_PER_DAY) return elapsedTimes(interval, toMicrosBigint(seconds, micros), window)
  return wallTimes(interval, toMicrosBigint(seconds + zone.offsetAt(seconds), micros), toMicrosBigint(seconds, micros), zone, window)
}

function elapsedTimes(interval: Micros, anchor: bigint, { after, until = LAST_INSTANT, limit }: TimeWindow): Micros[] {
  const found: Micros[] = []
  const end = Math.min(until, LAST_INSTANT)
  for (let time = firstOccurrence(after, anchor, interval); time <= end && found.length < limit; time += interval) found.push(time)
  return found
}

function wallTimes(interval: Micros, anchorLocal: bigint, anchor: bigint, zone: Zone, { after, until = LAST_INSTANT, limit }: TimeWindow): Micros[] {
  const found: Micros[] = []
  const end = Math.min(until, LAST_INSTANT)
  const least = after + zone.minOffsetNear(Math.floor(after / MICROS_PER_SECOND)) * MICROS_PER_SECOND
  // No zone is a day ahead of UTC, so later local times cannot be in range.
  for (let local = firstOccurrence(least, anchorLocal, interval); local <= end + MICROS_PER_DAY && found.length < limit; local += interval) {
    const fraction = modulo(local, MICROS_PER_SECOND)
    // The anchor keeps its own instant, even if its local time occurs twice.
    const isAnchor = local === Number(anchorLocal)
    const time = isAnchor ? Number(anchor) : zone.instantsOf((local - fraction) / MICROS_PER_SECOND).first * MICROS_PER_SECOND + fraction
    if (time > end) break
    // A zone that skips a whole day maps two daily times to one instant.
    if (time >= after && time !== found.at(-1)) found.push(time)
  }
  return found
}

/** The first multiple of the interval at or after `from`. The distance to the anchor may exceed a double. */
function firstOccurrence(from: Micros, anchor: bigint, interval: Micros): Micros {
  const step = BigInt(interval)
  const past = (((BigInt(from) - anchor) % step) + step) % step
  return past === 0n ? from : from + Number(step - past)
}

const toMicrosBigint = (seconds: number, micros: number): bigint => BigInt(seconds) * BigInt(MICROS_PER_SECOND) + BigInt(micros)

function readAnchor(text: string): { seconds: number; micros: number } {
  const canonical = normaliseTime(text)
  const date = canonical && readRRuleDate(canonical)
  if (!date) throw new RangeError(`not a time: ${text}`)
  return { seconds: date.local, micros: Number(canonical.slice(20, 26)) }
}

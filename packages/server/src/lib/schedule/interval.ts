import { MICROS_PER_SECOND, type Micros, normaliseTime } from '../time.ts'
import { modulo, SECONDS_PER_DAY } from './calendar.ts'
import { LAST_INSTANT, type TimeWindow } from './instants.ts'
import { readRRuleDate } from './rrule-parts.ts'
import type { Zone } from './zone.ts'

const DAY_MICROS = SECONDS_PER_DAY * MICROS_PER_SECOND

export const intervalMicros = (seconds: number): Micros => Math.round(seconds * MICROS_PER_SECOND)

/**
 * Every `interval` before and after `anchor`. Shorter ones than a day are spans of real time. Longer ones are counted on the
 * clock on the wall, so that a daily interval keeps its time of day when clocks change, whichever day one asks from.
 */
export function intervalInstants(interval: Micros, anchor: string, zone: Zone, window: TimeWindow): Micros[] {
  const { seconds, micros } = readAnchor(anchor)
  if (interval < DAY_MICROS) return elapsedTimes(interval, toMicrosBigint(seconds, micros), window)
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
  // No clock is a day ahead, so times beyond that need no zone; it may not even reach as far as they do.
  for (let local = firstOccurrence(least, anchorLocal, interval); local <= end + DAY_MICROS && found.length < limit; local += interval) {
    const fraction = modulo(local, MICROS_PER_SECOND)
    // The anchor is an instant of its own, even where clocks show its time twice.
    const isAnchor = local === Number(anchorLocal)
    const time = isAnchor ? Number(anchor) : zone.instantsOf((local - fraction) / MICROS_PER_SECOND).first * MICROS_PER_SECOND + fraction
    if (time > end) break
    // A calendar that skips a whole day puts two daily times on one instant.
    if (time >= after && time !== found.at(-1)) found.push(time)
  }
  return found
}

/** The first time at or after `from` that is whole intervals away from `anchor`, which may be too far away for a double. */
function firstOccurrence(from: Micros, anchor: bigint, interval: Micros): Micros {
  const step = BigInt(interval)
  const past = (((BigInt(from) - anchor) % step) + step) % step
  return past === 0n ? from : from + Number(step - past)
}

const toMicrosBigint = (seconds: number, micros: number): bigint => BigInt(seconds) * BigInt(MICROS_PER_SECOND) + BigInt(micros)

function readAnchor(text: string): { seconds: number; micros: number } {
  const usual = normaliseTime(text)
  const date = usual && readRRuleDate(usual)
  if (!date) throw new RangeError(`not a time: ${text}`)
  return { seconds: date.local, micros: Number(usual.slice(20, 26)) }
}

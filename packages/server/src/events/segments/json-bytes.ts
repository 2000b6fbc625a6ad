import { formatTime, type Micros } from '../../lib/time.ts'
import { dayMicros } from '../time-buckets.ts'

const zero = 0x30
const [colon, point, zulu] = [0x3a, 0x2e, 0x5a]

/** The maximum length of a time, `2031-02-01T09:30:00.000001Z`. */
export const timeLength = 27

/** The number of decimal digits of a non-negative integer. */
export function countDigits(value: number): number {
  let digits = 1
  for (let limit = 10; value >= limit; limit *= 10) digits += 1
  return digits
}

/** Writes a number with the given digits. Returns the end offset. */
export function writeDigits(target: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value
  for (let i = at + digits - 1; i >= at; i -= 1) {
    const tenth = Math.floor(rest / 10)
    target[i] = zero + rest - tenth * 10
    rest = tenth
  }
  return at + digits
}

/** Writes a time in the format of `formatTime`. Returns the end offset. */
export function writeTime(target: Uint8Array, at: number, time: Micros): number {
  const day = Math.floor(time / dayMicros)
  const date = dateBytes(day)
  for (let i = 0; i < date.length; i += 1) target[at + i] = date[i] as number
  // 32-bit integer arithmetic is the fastest.
  const micros = time - day * dayMicros
  const seconds = Math.floor(micros / 1_000_000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  const clock = at + date.length
  writeTwoDigits(target, clock, hours)
  target[clock + 2] = colon
  writeTwoDigits(target, clock + 3, minutes - hours * 60)
  target[clock + 5] = colon
  writeTwoDigits(target, clock + 6, seconds - minutes * 60)
  const fraction = (micros - seconds * 1_000_000) | 0
  if (fraction === 0) {
    target[clock + 8] = zulu
    return clock + 9
  }
  target[clock + 8] = point
  const hundredths = (fraction / 10_000) | 0
  const rest = fraction - hundredths * 10_000
  const middle = (rest / 100) | 0
  writeTwoDigits(target, clock + 9, hundredths)
  writeTwoDigits(target, clock + 11, middle)
  writeTwoDigits(target, clock + 13, rest - middle * 100)
  target[clock + 15] = zulu
  return clock + 16
}

function writeTwoDigits(target: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0
  target[at] = zero + tens
  target[at + 1] = zero + value - tens * 10
}

/** The date of a day up to the `T`, as bytes. */
const dateCache = new Map<number, Uint8Array>()
const cachedDatesMax = 4096

function dateBytes(day: number): Uint8Array {
  const cached = dateCache.get(day)
  if (cached) return cached
  if (dateCache.size >= cachedDatesMax) dateCache.clear()
  const date = Uint8Array.from(Buffer.from(formatTime(day * dayMicros).slice(0, 11)))
  dateCache.set(day, date)
  return date
}

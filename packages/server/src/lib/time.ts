import { readOtherForm, type WrittenTime, zoneMinutes } from './time-forms.ts'

/**
 * Time inside the server is whole microseconds since 1970 (the API's precision), a safe integer until the year 2255.
 * On the wire it is RFC 3339 text. `Date` is used here and nowhere else, and only to split days into months.
 */
export type Micros = number

export const MICROS_PER_SECOND = 1_000_000

export interface Clock {
  now(): Micros
}

/** The machine's clock. Microseconds come from the monotonic clock, so that two states in one millisecond keep their order. */
export function systemClock(): Clock {
  const start = performance.timeOrigin
  let last = 0
  return {
    now() {
      const wall = Date.now()
      const fine = Math.round((start + performance.now()) * 1000)
      // The monotonic clock drifts from the wall clock on long uptimes; trust it for the fraction only.
      const now = Math.abs(fine - wall * 1000) < 50_000 ? fine : wall * 1000
      last = now > last || last - now > MICROS_PER_SECOND ? now : last + 1
      return last
    },
  }
}

/** Milliseconds from some beginning, for measuring how long work takes. It never goes back. */
export const monotonicMs = (): number => performance.now()

/** Calls back once, without keeping the process alive for it; returns how to stop that. */
export function afterSeconds(seconds: number, call: () => void): () => void {
  const timer = setTimeout(call, seconds * 1000)
  timer.unref()
  return () => clearTimeout(timer)
}

export const addSeconds = (time: Micros, seconds: number): Micros => time + Math.round(seconds * MICROS_PER_SECOND)

export const secondsBetween = (from: Micros, to: Micros): number => (to - from) / MICROS_PER_SECOND

const MINUTES_PER_DAY = 24 * 60
const MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** The dates of the days that were written last: a page has a thousand times and hardly more than a few days. */
const dates = new Map<number, string>()
const datesMax = 4096

function dateOf(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  if (dates.size >= datesMax) dates.clear()
  const date = new Date(day * 86_400_000).toISOString().slice(0, -14)
  dates.set(day, date)
  return date
}

/** `2031-02-01T09:30:00.000001Z`, always with six digits, so that texts sort as times do. A third of what `toISOString` costs. */
export function formatTime(time: Micros): string {
  const day = Math.floor(time / MICROS_PER_DAY)
  const micros = time - day * MICROS_PER_DAY
  const seconds = Math.floor(micros / MICROS_PER_SECOND)
  const fraction = String(MICROS_PER_SECOND + micros - seconds * MICROS_PER_SECOND).slice(1)
  return `${dateOf(day)}T${two[Math.floor(seconds / 3600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}.${fraction}Z`
}

export const formatNullable = (time: Micros | null): string | null => (time === null ? null : formatTime(time))

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+\u2212-]\d\d:?\d\d)?)?$/

/** Before 1684 and after 2255 microseconds since 1970 are no exact numbers any more. Such times are bounds of filters, hardly ever more. */
const FAR: Micros = 9_000_000_000_000_000

/** Times as programs write them, in UTC. Nothing in them has to be judged: the first 28 days of a month are in every month. */
const USUAL = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|\+00:00)$/

/** Reads what the API reads as a time; undefined when it is none. Without a zone it is UTC. Far from now it is as near as we can tell. */
export function parseTime(text: string): Micros | undefined {
  const parts = USUAL.test(text) ? { seconds: Date.parse(`${dateAndTime(text)}Z`) / 1000, micros: Number(microsOf(text)) } : readParts(text)
  return parts && Math.min(Math.max(parts.seconds * MICROS_PER_SECOND + parts.micros, -FAR), FAR)
}

/** The usual spelling of a time, from any that the API reads; exact also for times far from now. */
export const normaliseTime = (text: string): string | undefined =>
  USUAL.test(text) ? `${dateAndTime(text)}.${microsOf(text)}Z` : spell(readParts(text))

const dateAndTime = (text: string): string => `${text.slice(0, 10)}T${text.slice(11, 19)}`

const microsOf = (text: string): string => (text[19] === '.' ? text.slice(20, text.endsWith('Z') ? -1 : -6) : '').padEnd(6, '0')

export const normaliseNumber = (value: number): string | undefined => spell(readNumber(value))

const spell = (parts: Parts | undefined): string | undefined =>
  parts && `${new Date(parts.seconds * 1000).toISOString().slice(0, -5)}.${String(parts.micros).padStart(6, '0')}Z`

interface Parts {
  readonly seconds: number
  readonly micros: number
}

function readParts(text: string): Parts | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return readNumber(Number(text))
  const written = readUsualForm(text) ?? readOtherForm(text)
  if (!written) return undefined
  const { year, month, day, hour, minute, second, fraction, offsetMinutes } = written
  const date = `${String(year).padStart(4, '0')}-${two[month] ?? '--'}-${two[day] ?? '--'}`
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // `Date` takes the 30th of February for the 2nd of March.
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(offsetMinutes) >= MINUTES_PER_DAY) return undefined
  const seconds = midnight / 1000 + hour * 3600 + minute * 60 + second - offsetMinutes * 60
  return known({ seconds, micros: Number(fraction.slice(0, 6).padEnd(6, '0')) })
}

function readUsualForm(text: string): WrittenTime | undefined {
  const match = PATTERN.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
    offsetMinutes: zoneMinutes(zone),
  }
}

/** Numbers are seconds since 1970, or milliseconds when that large, as the API reads them. */
function readNumber(value: number): Parts | undefined {
  const perSecond = Math.abs(value) > 2e10 ? 1000 : 1
  const seconds = Math.floor(value / perSecond)
  const micros = Math.round((value - seconds * perSecond) * (MICROS_PER_SECOND / perSecond))
  return known(micros === MICROS_PER_SECOND ? { seconds: seconds + 1, micros: 0 } : { seconds, micros })
}

/** There are years 1 to 9999. */
const known = (parts: Parts): Parts | undefined => (parts.seconds >= -62_135_596_800 && parts.seconds < 253_402_300_800 ? parts : undefined)

/** A time that is known to be well formed, for instance one of our own. */
export function toMicros(text: string): Micros {
  // Our own spelling, which nearly all of them are in by now: a third of the work of reading any.
  if (text.length === 27 && text[26] === 'Z' && text[19] === '.' && text > '1684' && text < '2255') {
    return Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26))
  }
  const time = parseTime(text)
  if (time === undefined) throw new RangeError(`not a time: ${text}`)
  return time
}

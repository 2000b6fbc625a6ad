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

export const addSeconds = (time: Micros, seconds: number): Micros => time + Math.round(seconds * MICROS_PER_SECOND)

export const secondsBetween = (from: Micros, to: Micros): number => (to - from) / MICROS_PER_SECOND

const two = (n: number) => (n < 10 ? `0${n}` : `${n}`)

/** `2031-02-01T09:30:00.000001Z`, always with six digits, so that texts sort as times do. */
export function formatTime(time: Micros): string {
  const milliseconds = Math.floor(time / 1000)
  const micros = time - milliseconds * 1000
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

export const formatNullable = (time: Micros | null): string | null => (time === null ? null : formatTime(time))

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

/** Reads what the API reads as a time; undefined when it is none. Without a zone it is UTC. */
export function parseTime(text: string): Micros | undefined {
  const match = PATTERN.exec(text)
  if (!match) return /^-?\d+(\.\d+)?$/.test(text) ? timeFromNumber(Number(text)) : undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const days = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const back = new Date(days)
  if (back.getUTCMonth() !== Number(month) - 1 || back.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offsetMinutes = zone === 'Z' || zone === 'z' ? 0 : zoneMinutes(zone)
  const seconds = days / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetMinutes * 60
  return seconds * MICROS_PER_SECOND + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

/** A time that is known to be well formed, for instance one of our own. */
export function toMicros(text: string): Micros {
  const time = parseTime(text)
  if (time === undefined) throw new RangeError(`not a time: ${text}`)
  return time
}

/** Numbers are seconds since 1970, or milliseconds when that large, as the API reads them. */
export function timeFromNumber(value: number): Micros | undefined {
  const seconds = Math.abs(value) > 2e10 ? value / 1000 : value
  const time = Math.round(seconds * MICROS_PER_SECOND)
  return Number.isSafeInteger(time) && Math.abs(time) <= 253_402_300_799 * MICROS_PER_SECOND ? time : undefined
}

function zoneMinutes(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return zone[0] === '-' ? -minutes : minutes
}

/** The UTC day a time falls on, `2031-02-01`. */
export const dayOf = (time: Micros): string => formatTime(time).slice(0, 10)

/** `09:30` of a time, for people. */
export const clockOf = (time: Micros): string => {
  const minutes = Math.floor(time / (60 * MICROS_PER_SECOND))
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`
}

import { type CalendarParts, calendarParts, isoWeek } from './calendar.ts'

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

const padded = (value: number, width = 2, fill = '0'): string => String(value).padStart(width, fill)
const dayName = ({ weekday }: CalendarParts): string => days[weekday] as string
const monthName = ({ month }: CalendarParts): string => months[month - 1] as string
const halfHour = ({ hour }: CalendarParts): number => hour % 12 || 12
const date = (at: CalendarParts): string => `${padded(at.year, 4)}-${padded(at.month)}-${padded(at.day)}`
const clock = (at: CalendarParts): string => `${padded(at.hour)}:${padded(at.minute)}:${padded(at.second)}`

const directives: Readonly<Record<string, (at: CalendarParts, micros: number) => string>> = {
  Y: (at) => padded(at.year, 4),
  y: (at) => padded(at.year % 100),
  C: (at) => padded(Math.floor(at.year / 100)),
  m: (at) => padded(at.month),
  d: (at) => padded(at.day),
  e: (at) => padded(at.day, 2, ' '),
  H: (at) => padded(at.hour),
  I: (at) => padded(halfHour(at)),
  k: (at) => padded(at.hour, 2, ' '),
  l: (at) => padded(halfHour(at), 2, ' '),
  p: (at) => (at.hour < 12 ? 'AM' : 'PM'),
  P: (at) => (at.hour < 12 ? 'am' : 'pm'),
  M: (at) => padded(at.minute),
  S: (at) => padded(at.second),
  f: (at) => padded(at.micros, 6),
  z: () => '+0000',
  Z: () => 'UTC',
  a: (at) => dayName(at).slice(0, 3),
  A: dayName,
  b: (at) => monthName(at).slice(0, 3),
  h: (at) => monthName(at).slice(0, 3),
  B: monthName,
  j: (at) => padded(at.dayOfYear, 3),
  w: (at) => String((at.weekday + 1) % 7),
  u: (at) => String(at.weekday + 1),
  U: (at) => padded(Math.floor((at.dayOfYear + 6 - ((at.weekday + 1) % 7)) / 7)),
  W: (at) => padded(Math.floor((at.dayOfYear + 6 - at.weekday) / 7)),
  G: (at) => padded(isoWeek(at).year, 4),
  V: (at) => padded(isoWeek(at).week),
  s: (_at, micros) => String(Math.floor(micros / 1_000_000)),
  D: (at) => `${padded(at.month)}/${padded(at.day)}/${padded(at.year % 100)}`,
  x: (at) => `${padded(at.month)}/${padded(at.day)}/${padded(at.year % 100)}`,
  F: date,
  T: clock,
  X: clock,
  R: (at) => `${padded(at.hour)}:${padded(at.minute)}`,
  r: (at) => `${padded(halfHour(at))}:${padded(at.minute)}:${padded(at.second)} ${at.hour < 12 ? 'AM' : 'PM'}`,
  c: (at) => `${dayName(at).slice(0, 3)} ${monthName(at).slice(0, 3)} ${padded(at.day, 2, ' ')} ${clock(at)} ${at.year}`,
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
}

/** Formats a time in UTC by the directives of C. `-` removes the padding of numbers. Unknown directives stay unchanged. */
export function strftime(micros: number, format: string): string {
  const at = calendarParts(micros)
  return format.replace(/%([-_^0]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const write = Object.hasOwn(directives, letter) ? directives[letter] : undefined
    if (!write) return whole
    const text = write(at, micros)
    if (flag === '-') return text.replace(/^[0 ]+(?=\d)/, '')
    if (flag === '_') return text.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length))
    return flag === '^' ? text.toUpperCase() : text
  })
}

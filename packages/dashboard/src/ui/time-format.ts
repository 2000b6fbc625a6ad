/** Formats times and durations. Pure: the zone, the clock format and the current time are arguments. */

export interface TimePreferences {
  readonly zone: string
  readonly hours: 'auto' | '12' | '24'
}

/** The API sends microseconds; the dashboard uses milliseconds. */
export const toMillis = (time: string): number => Date.parse(time)

type Style = 'full' | 'minute' | 'clock' | 'second' | 'milli' | 'day'

const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  full: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  minute: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  milli: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  day: { weekday: 'short', month: 'short', day: 'numeric' },
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter takes longer than a thousand calls of it. */
function getFormatter(style: Style, { zone, hours }: TimePreferences): Intl.DateTimeFormat {
  const key = `${style} ${zone} ${hours}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(undefined, {
    ...styles[style],
    ...(zone === 'local' ? {} : { timeZone: zone }),
    ...(hours === 'auto' ? {} : { hourCycle: hours === '24' ? 'h23' : 'h12' }),
  })
  formats.set(key, made)
  return made
}

export const formatTime = (at: number, style: Style, choice: TimePreferences): string => getFormatter(style, choice).format(at)

const durationUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** `3 d 4 h`, `2 m 05 s`, `14 s`, `0.42 s`: at most the two largest units. */
export function formatDuration(seconds: number): string {
  const length = Math.abs(seconds)
  if (length < 1) return length === 0 ? '0 s' : `${length < 0.1 ? length.toFixed(3) : length.toFixed(2)} s`
  if (length < 10) return `${length.toFixed(1)} s`
  const whole = Math.round(length)
  for (const [index, [unit, size]] of durationUnits.entries()) {
    if (whole < size) continue
    const [nextUnit, nextSize] = durationUnits[index + 1] ?? (['s', 1] as const)
    const rest = Math.floor((whole % size) / nextSize)
    return rest === 0 ? `${Math.floor(whole / size)} ${unit}` : `${Math.floor(whole / size)} ${unit} ${rest} ${nextUnit}`
  }
  return `${whole} s`
}

/** `just now`, `4 m ago`, `in 2 h`. */
export function formatRelative(at: number, present: number): string {
  const seconds = (at - present) / 1000
  if (Math.abs(seconds) < 5) return 'just now'
  const words = formatLargestUnit(Math.abs(seconds))
  return seconds > 0 ? `in ${words}` : `${words} ago`
}

function formatLargestUnit(seconds: number): string {
  for (const [unit, size] of durationUnits) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${Math.floor(seconds)} s`
}

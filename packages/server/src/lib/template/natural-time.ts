const minute = 60
const hour = 60 * minute
const day = 24 * hour

const counted = (count: number, what: string): string => (count === 1 ? `${what.startsWith('h') ? 'an' : 'a'} ${what}` : `${count} ${what}s`)

/** `3 minutes`, `an hour`, `2 days`, `1 year, 3 months`: the largest unit that fits, as people say it. */
export function naturalDelta(micros: number): string {
  const seconds = Math.floor(Math.abs(micros) / 1_000_000)
  if (seconds === 0) return 'a moment'
  if (seconds < minute) return counted(seconds, 'second')
  if (seconds < hour) return counted(Math.floor(seconds / minute), 'minute')
  if (seconds < day) return counted(Math.floor(seconds / hour), 'hour')
  const days = Math.floor(seconds / day)
  const years = Math.floor(days / 365)
  const restDays = days % 365
  const months = Math.floor(restDays / 30.5)
  if (years === 0) return months === 0 ? counted(days, 'day') : counted(months, 'month')
  if (years > 1) return counted(years, 'year')
  if (restDays === 0) return 'a year'
  return months === 0 ? `1 year, ${restDays === 1 ? '1 day' : `${restDays} days`}` : `1 year, ${months === 1 ? '1 month' : `${months} months`}`
}

export function naturalTime(micros: number, now: number): string {
  const delta = naturalDelta(now - micros)
  if (delta === 'a moment') return 'now'
  return micros > now ? `${delta} from now` : `${delta} ago`
}

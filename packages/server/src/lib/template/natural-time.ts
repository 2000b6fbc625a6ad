import { strftime } from './strftime.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const pluralizeWithArticle = (count: number, what: string): string =>
  count === 1 ? `${what.startsWith('h') ? 'an' : 'a'} ${what}` : `${count} ${what}s`

/** `3 minutes`, `an hour`, `2 days`, `1 year, 3 months`: the largest fitting unit. */
export function naturalDelta(micros: number): string {
  const seconds = Math.floor(Math.abs(micros) / 1_000_000)
  if (seconds === 0) return 'a moment'
  if (seconds < minute) return pluralizeWithArticle(seconds, 'second')
  if (seconds < hour) return pluralizeWithArticle(Math.floor(seconds / minute), 'minute')
  if (seconds < day) return pluralizeWithArticle(Math.floor(seconds / hour), 'hour')
  const days = Math.floor(seconds / day)
  const years = Math.floor(days / 365)
  const restDays = days % 365
  const months = Math.floor(restDays / 30.5)
  if (years === 0) return months === 0 ? pluralizeWithArticle(days, 'day') : pluralizeWithArticle(months, 'month')
  if (years > 1) return pluralizeWithArticle(years, 'year')
  if (restDays === 0) return 'a year'
  return months === 0 ? `1 year, ${restDays === 1 ? '1 day' : `${restDays} days`}` : `1 year, ${months === 1 ? '1 month' : `${months} months`}`
}

export function naturalTime(micros: number, now: number): string {
  const delta = naturalDelta(now - micros)
  if (delta === 'a moment') return 'now'
  return micros > now ? `${delta} from now` : `${delta} ago`
}

const pluralize = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `1 day, 1 hour and 3 seconds`: all units except zeros. */
export function preciseDelta(micros: number): string {
  // Rounded to hundredths of a second first, so that 59.999 seconds are a minute.
  const whole = Math.round(Math.abs(micros) / 10_000) * 10_000
  const allDays = Math.floor(whole / (day * 1_000_000))
  const [years, ofYear] = [Math.floor(allDays / 365), allDays % 365]
  // A month has 30.5 days. A remaining half day is dropped.
  const [months, days] = [Math.floor(ofYear / 30.5), Math.floor(ofYear % 30.5)]
  const seconds = (whole - allDays * day * 1_000_000) / 1_000_000
  const rest = Math.floor(seconds) % minute
  const fraction = Number((seconds % minute).toFixed(2))
  const parts = [
    ...(years > 0 ? [pluralize(years, 'year')] : []),
    ...(months > 0 ? [pluralize(months, 'month')] : []),
    ...(days > 0 ? [pluralize(days, 'day')] : []),
    ...(seconds >= hour ? [pluralize(Math.floor(seconds / hour), 'hour')] : []),
    ...(seconds % hour >= minute ? [pluralize(Math.floor((seconds % hour) / minute), 'minute')] : []),
    ...(fraction > 0 ? [fraction === rest ? pluralize(rest, 'second') : `${fraction.toFixed(2)} seconds`] : []),
  ]
  const last = parts.pop() ?? '0 seconds'
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

const dayOf = (micros: number): number => Math.floor(micros / (day * 1_000_000))

const dayNames: Readonly<Record<string, string>> = { '-1': 'yesterday', '0': 'today', '1': 'tomorrow' }

export const naturalDay = (micros: number, now: number, format = '%b %d'): string => dayNames[dayOf(micros) - dayOf(now)] ?? strftime(micros, format)

/** With the year for dates about five months away or more. */
export const naturalDate = (micros: number, now: number): string =>
  naturalDay(micros, now, Math.abs(dayOf(micros) - dayOf(now)) >= (5 * 365) / 12 ? '%b %d %Y' : '%b %d')

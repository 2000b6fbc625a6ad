import type { TimeUnit } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { ownEntry } from '../../own-entry.ts'
import { readString, readStrings } from '../../search-params.ts'

/** Filters of the events page in the URL. */
export interface EventsSearch {
  /** Event names, or prefixes that end with `*`. */
  readonly event?: string[]
  /** Ids of the resource or related resources. A trailing `*` matches by prefix. */
  readonly resource?: string[]
  /** Ids of related resources. */
  readonly related?: string[]
  /** Search text. */
  readonly text?: string
  /** Time, or duration before now: `24h`, `7d`. */
  readonly since?: string
  readonly until?: string
  /** Event open beside the list: `DAY/ID`. */
  readonly open?: string
}

export function readEventsSearch(params: Record<string, unknown>): EventsSearch {
  const search: EventsSearch = {
    event: readStrings(params.event),
    resource: readStrings(params.resource),
    related: readStrings(params.related),
    text: readString(params.text),
    since: readString(params.since),
    until: readString(params.until),
    open: readString(params.open),
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

export interface TimeRange {
  readonly since: number
  readonly until: number
  /** The range ends now and moves on. */
  readonly isOpen: boolean
}

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }

export function resolveTimeRange({ since, until }: EventsSearch, present: number, defaultHours: number): TimeRange {
  const end = until === undefined ? Number.NaN : Date.parse(until)
  const [, amount, unit = ''] = /^(\d+)([mhd])$/.exec(since ?? '') ?? []
  const start = amount === undefined ? Date.parse(since ?? '') : present - Number(amount) * (ownEntry(unitSeconds, unit) ?? 0) * 1000
  const isOpen = Number.isNaN(end)
  const last = isOpen ? present : end
  return { since: Number.isNaN(start) ? last - defaultHours * 3_600_000 : start, until: last, isOpen }
}

const isPrefixPattern = (text: string): boolean => text.endsWith('*')
const withoutStar = (text: string): string => text.slice(0, -1)

/** API filter of a search. An open range has no end: the server uses its current time and keeps it for all pages. */
export function eventsFilter({ event, resource, related, text }: EventsSearch, range: TimeRange): EventFilter {
  const occurred = { since: new Date(range.since).toISOString(), ...(range.isOpen ? {} : { until: new Date(range.until).toISOString() }) }
  const hasPrefix = event?.some(isPrefixPattern) ?? false
  return {
    occurred,
    // The server combines names and prefixes with AND. If both are given, names become prefixes.
    ...(event && { event: hasPrefix ? { prefix: event.map((name) => (isPrefixPattern(name) ? withoutStar(name) : name)) } : { name: event } }),
    ...(resource && { any_resource: resourceIdFilter(resource) }),
    ...(related && { related: { id: related } }),
    ...(text && { text: { query: text } }),
  }
}

const resourceIdFilter = (ids: readonly string[]) => {
  const exact = ids.filter((id) => !isPrefixPattern(id))
  const prefixes = ids.filter(isPrefixPattern).map(withoutStar)
  return { ...(exact.length > 0 && { id: exact }), ...(prefixes.length > 0 && { id_prefix: prefixes }) }
}

export interface TimeBuckets {
  readonly time_unit: TimeUnit
  readonly time_interval: number
  readonly seconds: number
}

const bucketWidths: readonly (readonly [unit: TimeUnit, interval: number, seconds: number])[] = [
  ['second', 1, 1],
  ['second', 5, 5],
  ['second', 15, 15],
  ['minute', 1, 60],
  ['minute', 5, 300],
  ['minute', 15, 900],
  ['hour', 1, 3600],
  ['hour', 2, 7200],
  ['hour', 8, 28_800],
  ['day', 1, 86_400],
  ['day', 2, 172_800],
  ['week', 1, 604_800],
]

const barsMax = 100

/** Buckets of a round size that fit side by side. From 15 minutes on, the server has precomputed counts. */
export function chooseTimeBuckets({ since, until }: TimeRange): TimeBuckets {
  const length = (until - since) / 1000
  const [time_unit, time_interval, seconds] =
    bucketWidths.find(([, , width]) => length / width <= barsMax) ?? (bucketWidths.at(-1) as (typeof bucketWidths)[number])
  return { time_unit, time_interval, seconds }
}

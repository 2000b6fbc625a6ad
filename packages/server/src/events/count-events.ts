import type { Countable, EventCount, TimeUnit } from '@millrace/contracts/event.ts'
import { InvalidRequest } from '../errors.ts'
import { rawJson } from '../lib/json.ts'
import { Download } from '../lib/route.ts'
import { formatTime, type Micros, toMicros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import type { Criteria } from './criteria.ts'
import { lookupEvents } from './index-lookup.ts'
import { LoggedEvent } from './logged-event.ts'
import { countNamesByRollup, countTimesByRollup, type GroupCount, mergeCounts } from './rollup.ts'
import { countResourcesInSegments, sortByFrequency as inOrder } from './segments/count-resources.ts'
import { countNamesInSegments, countTimesInSegments } from './segments/count-segments.ts'
import { streamCountsJson } from './segments/counts-json.ts'
import { displayNameOf } from './segments/segment-writer.ts'
import type { EventRow } from './store.ts'
import { dayMicros, quarterHourMicros } from './time-buckets.ts'

/** Spans of time are counted from this Monday, whatever the filter. */
const bucketOrigin = toMicros('2024-04-01T00:00:00Z')
const timeBucketsMax = 1000

/** Longer answers go out as they are written: one of all the resources of a million events has 40 MB. */
const bufferedRowsMax = 10_000

const unitMicros: Readonly<Record<TimeUnit, Micros>> = {
  week: 7 * dayMicros,
  day: dayMicros,
  hour: dayMicros / 24,
  minute: 60_000_000,
  second: 1_000_000,
}

export interface TimeBuckets {
  readonly unit: TimeUnit
  readonly interval: number
}

/** Counts the events that a filter matches, by what is asked for; as part of an answer, since long ones are written already. */
export async function countEvents(
  db: Db,
  criteria: Criteria,
  countable: Countable,
  buckets: TimeBuckets,
  now: Micros,
): Promise<EventCount[] | Download> {
  rejectTooManyBuckets(criteria, bucketWidth(buckets))
  if (criteria.since > criteria.until && countable !== 'day' && countable !== 'time') return []
  if (countable === 'event') return toSortedCounts(await countNames(db, criteria))
  if (countable === 'resource') return countResources(db, criteria)
  return countTimes(db, criteria, countable === 'day' ? { unit: 'day', interval: 1 } : buckets, now)
}

const bucketWidth = ({ unit, interval }: TimeBuckets): Micros => Math.round(unitMicros[unit] * interval)

function rejectTooManyBuckets({ since, until }: Criteria, width: Micros): void {
  const count = Math.ceil((until - since) / width)
  if (count <= timeBucketsMax) return
  const msg = `The interval would make ${count} spans of time; ask for a longer one or a shorter range, so that there are ${timeBucketsMax} at most`
  throw new InvalidRequest([{ loc: ['body', 'time_interval'], type: 'value_error', msg, ctx: { error: msg } }])
}

/** Whether a filter asks for nothing but names and times, which is what tallies can tell. */
const isAnsweredByRollup = ({ ids, resource, related, any, search }: Criteria): boolean =>
  !ids && !resource && related.length + any.length === 0 && !search

async function countNames(db: Db, criteria: Criteria): Promise<GroupCount[]> {
  if (isAnsweredByRollup(criteria)) return countNamesByRollup(db, criteria, criteria.names)
  const few = await lookupEvents(db, criteria)
  return few ? groupRows(few, ({ event }) => ({ value: event, name: null })) : countNamesInSegments(db, criteria)
}

async function countResources(db: Db, criteria: Criteria): Promise<EventCount[] | Download> {
  const few = await lookupEvents(db, criteria)
  if (few) return toSortedCounts(groupRows(few, (row) => ({ value: row.resource_id, name: displayNameOf(new LoggedEvent(row).resource) })))
  const counted = await countResourcesInSegments(db, criteria)
  const subjects = inOrder(counted)
  const pieces = streamCountsJson(counted, subjects)
  return subjects.length > bufferedRowsMax
    ? new Download('application/json', pieces)
    : rawJson(Buffer.concat(await Array.fromAsync(pieces)).toString())
}

/** Counts rows by something, which is called as it was last. */
function groupRows(rows: readonly EventRow[], groupOf: (row: EventRow) => Pick<GroupCount, 'value' | 'name'>): GroupCount[] {
  const inOrder = rows.toSorted((a, b) => a.occurred - b.occurred || a.position - b.position)
  return mergeCounts(inOrder.map((row) => ({ ...groupOf(row), count: 1, oldest: row.occurred, newest: row.occurred })))
}

const toSortedCounts = (tallies: readonly GroupCount[]): EventCount[] =>
  tallies
    .map(({ value, name, count, oldest, newest }) => ({
      value,
      label: name ?? value,
      count,
      start_time: formatTime(oldest),
      end_time: formatTime(newest),
    }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))

async function countTimes(db: Db, criteria: Criteria, buckets: TimeBuckets, now: Micros): Promise<EventCount[]> {
  const width = bucketWidth(buckets)
  // Spans that lie in the future altogether are not listed.
  const end = criteria.until > now ? bucketEnd(now, buckets.unit) : criteria.until
  const first = bucketOrigin + Math.floor((criteria.since - bucketOrigin) / width) * width
  const counts =
    isAnsweredByRollup(criteria) && width % quarterHourMicros === 0
      ? await countTimesByRollup(db, criteria, criteria.names, first, width)
      : await countTimeBuckets(db, criteria, first, width)
  const found: EventCount[] = []
  for (let start = first, index = 0; start < end; start += width, index += 1) {
    const label = formatTime(start).replace('.000000', '').replace('Z', '+00:00')
    found.push({ value: String(index), label, count: counts.get(index) ?? 0, start_time: formatTime(start), end_time: formatTime(start + width - 1) })
  }
  return found
}

/** The last instant of the span that an instant is in; weeks begin on Mondays. */
function bucketEnd(time: Micros, unit: TimeUnit): Micros {
  const width = unitMicros[unit]
  return bucketOrigin + (Math.floor((time - bucketOrigin) / width) + 1) * width - 1
}

async function countTimeBuckets(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const few = await lookupEvents(db, criteria)
  if (!few) return countTimesInSegments(db, criteria, first, width)
  const counts = new Map<number, number>()
  for (const { occurred } of few) {
    const span = Math.floor((occurred - first) / width)
    counts.set(span, (counts.get(span) ?? 0) + 1)
  }
  return counts
}

import type { Countable, EventCount } from '@millrace/contracts/event.ts'
import { InvalidRequest } from '../errors.ts'
import { rawJson } from '../lib/json.ts'
import { Download } from '../lib/route.ts'
import { formatTime, type Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { type Criteria, isAnsweredBySummaries } from './criteria.ts'
import { findByIds } from './find-events.ts'
import { LoggedEvent } from './logged-event.ts'
import { countResourcesInSegments, sortByFrequency } from './segments/count-resources.ts'
import { countNamesInSegments, countTimesInSegments, type GroupCount, mergeCounts } from './segments/count-segments.ts'
import { countNamesBySummary, countTimesBySummary } from './segments/count-summaries.ts'
import { streamCountsJson } from './segments/counts-json.ts'
import { displayNameOf } from './segments/segment-writer.ts'
import type { EventRow } from './store.ts'
import { bucketEnd, bucketOrigin, bucketWidth, clampTime, quarterHourMicros, type TimeBuckets } from './time-buckets.ts'

const timeBucketsMax = 1000

/** Longer responses are streamed: the counts of all resources of a million events take 40 MB. */
const bufferedRowsMax = 10_000

/** Counts the matching events by day, time bucket, name or resource. Long results are returned as a stream of JSON. */
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

function rejectTooManyBuckets({ since, until }: Criteria, width: Micros): void {
  const count = Math.ceil((until - since) / width)
  if (count <= timeBucketsMax) return
  const msg = `${count} time buckets exceed the limit of ${timeBucketsMax}. Use a larger time_interval or a shorter range.`
  throw new InvalidRequest([{ loc: ['body', 'time_interval'], type: 'value_error', msg, ctx: { error: msg } }])
}

async function countNames(db: Db, criteria: Criteria): Promise<GroupCount[]> {
  if (isAnsweredBySummaries(criteria)) return countNamesBySummary(db, criteria)
  if (!criteria.ids) return countNamesInSegments(db, criteria)
  return groupRows(await findByIds(db, criteria, criteria.ids), ({ event }) => ({ value: event, name: null }))
}

async function countResources(db: Db, criteria: Criteria): Promise<EventCount[] | Download> {
  if (criteria.ids) {
    const rows = await findByIds(db, criteria, criteria.ids)
    return toSortedCounts(groupRows(rows, (row) => ({ value: row.resource_id, name: displayNameOf(new LoggedEvent(row).resource) })))
  }
  const counted = await countResourcesInSegments(db, criteria)
  const sorted = sortByFrequency(counted)
  const chunks = streamCountsJson(counted, sorted)
  return sorted.length > bufferedRowsMax ? new Download('application/json', chunks) : rawJson(Buffer.concat(await Array.fromAsync(chunks)).toString())
}

/** Counts rows by group. A group gets the name of its latest row. */
function groupRows(rows: readonly EventRow[], groupOf: (row: EventRow) => Pick<GroupCount, 'value' | 'name'>): GroupCount[] {
  const sorted = rows.toSorted((a, b) => a.occurred - b.occurred || a.position - b.position)
  return mergeCounts(sorted.map((row) => ({ ...groupOf(row), count: 1, oldest: row.occurred, newest: row.occurred })))
}

const toSortedCounts = (groups: readonly GroupCount[]): EventCount[] =>
  groups
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
  // Buckets that start in the future are left out.
  const end = criteria.until > now ? bucketEnd(now, buckets.unit) : criteria.until
  const first = bucketOrigin + Math.floor((criteria.since - bucketOrigin) / width) * width
  const counts =
    isAnsweredBySummaries(criteria) && width % quarterHourMicros === 0
      ? await countTimesBySummary(db, criteria, first, width)
      : await countTimeBuckets(db, criteria, first, width)
  const found: EventCount[] = []
  for (let start = first, index = 0; start < end; start += width, index += 1) {
    const [startTime, endTime] = [formatTime(clampTime(start)), formatTime(clampTime(start + width - 1))]
    const label = startTime.replace('Z', '+00:00')
    found.push({ value: String(index), label, count: counts.get(index) ?? 0, start_time: startTime, end_time: endTime })
  }
  return found
}

async function countTimeBuckets(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  if (!criteria.ids) return countTimesInSegments(db, criteria, first, width)
  const counts = new Map<number, number>()
  for (const { occurred } of await findByIds(db, criteria, criteria.ids)) {
    const bucket = Math.floor((occurred - first) / width)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return counts
}

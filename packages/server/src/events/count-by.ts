import type { Countable, EventCount, TimeUnit } from '@millrace/contracts/event.ts'
import { InvalidRequest } from '../errors.ts'
import { rawJson } from '../lib/json.ts'
import { Download } from '../lib/route.ts'
import { formatTime, type Micros, toMicros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { countNamesInChapters, countTimesInChapters } from './chapters/count.ts'
import { countSubjects, byFrequency as inOrder } from './chapters/count-subjects.ts'
import { callOf } from './chapters/make-chapter.ts'
import { writeCounts } from './chapters/write-counts.ts'
import type { Criteria } from './criteria.ts'
import { fewEvents } from './few.ts'
import { LoggedEvent } from './seen-event.ts'
import { dayMicros, quarterMicros } from './spans.ts'
import type { EventRow } from './store.ts'
import { merged, type Tally, tallyNames, tallyTimes } from './tally.ts'

/** Spans of time are counted from this Monday, whatever the filter. */
const pivot = toMicros('2024-04-01T00:00:00Z')
const spansMax = 1000

/** Longer answers go out as they are written: one of all the resources of a million events has 40 MB. */
const rowsMax = 10_000

const unitMicros: Readonly<Record<TimeUnit, Micros>> = {
  week: 7 * dayMicros,
  day: dayMicros,
  hour: dayMicros / 24,
  minute: 60_000_000,
  second: 1_000_000,
}

export interface Spans {
  readonly unit: TimeUnit
  readonly interval: number
}

/** Counts the events that a filter matches, by what is asked for; as part of an answer, since long ones are written already. */
export async function countEvents(db: Db, criteria: Criteria, countable: Countable, spans: Spans, now: Micros): Promise<EventCount[] | Download> {
  refuseTooMany(criteria, widthOf(spans))
  if (criteria.since > criteria.until && countable !== 'day' && countable !== 'time') return []
  if (countable === 'event') return byFrequency(await countNames(db, criteria))
  if (countable === 'resource') return countResources(db, criteria)
  return countTimes(db, criteria, countable === 'day' ? { unit: 'day', interval: 1 } : spans, now)
}

const widthOf = ({ unit, interval }: Spans): Micros => Math.round(unitMicros[unit] * interval)

function refuseTooMany({ since, until }: Criteria, width: Micros): void {
  const count = Math.ceil((until - since) / width)
  if (count <= spansMax) return
  const msg = `The interval would make ${count} spans of time; ask for a longer one or a shorter range, so that there are ${spansMax} at most`
  throw new InvalidRequest([{ loc: ['body', 'time_interval'], type: 'value_error', msg, ctx: { error: msg } }])
}

/** Whether a filter asks for nothing but names and times, which is what tallies can tell. */
const onlyNames = ({ ids, resource, related, any, search }: Criteria): boolean => !ids && !resource && related.length + any.length === 0 && !search

async function countNames(db: Db, criteria: Criteria): Promise<Tally[]> {
  if (onlyNames(criteria)) return tallyNames(db, criteria, criteria.names)
  const few = await fewEvents(db, criteria)
  return few ? tallied(few, ({ event }) => ({ value: event, name: null })) : countNamesInChapters(db, criteria)
}

async function countResources(db: Db, criteria: Criteria): Promise<EventCount[] | Download> {
  const few = await fewEvents(db, criteria)
  if (few) return byFrequency(tallied(few, (row) => ({ value: row.resource_id, name: callOf(new LoggedEvent(row).resource) })))
  const counted = await countSubjects(db, criteria)
  const subjects = inOrder(counted)
  const pieces = writeCounts(counted, subjects)
  return subjects.length > rowsMax ? new Download('application/json', pieces) : rawJson(Buffer.concat(await Array.fromAsync(pieces)).toString())
}

/** Counts rows by something, which is called as it was last. */
function tallied(rows: readonly EventRow[], groupOf: (row: EventRow) => Pick<Tally, 'value' | 'name'>): Tally[] {
  const inOrder = rows.toSorted((a, b) => a.occurred - b.occurred || a.position - b.position)
  return merged(inOrder.map((row) => ({ ...groupOf(row), count: 1, oldest: row.occurred, newest: row.occurred })))
}

const byFrequency = (tallies: readonly Tally[]): EventCount[] =>
  tallies
    .map(({ value, name, count, oldest, newest }) => ({
      value,
      label: name ?? value,
      count,
      start_time: formatTime(oldest),
      end_time: formatTime(newest),
    }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))

async function countTimes(db: Db, criteria: Criteria, spans: Spans, now: Micros): Promise<EventCount[]> {
  const width = widthOf(spans)
  // Spans that lie in the future altogether are not listed.
  const end = criteria.until > now ? endOf(now, spans.unit) : criteria.until
  const first = pivot + Math.floor((criteria.since - pivot) / width) * width
  const counts =
    onlyNames(criteria) && width % quarterMicros === 0
      ? await tallyTimes(db, criteria, criteria.names, first, width)
      : await countSpans(db, criteria, first, width)
  const found: EventCount[] = []
  for (let start = first, index = 0; start < end; start += width, index += 1) {
    const label = formatTime(start).replace('.000000', '').replace('Z', '+00:00')
    found.push({ value: String(index), label, count: counts.get(index) ?? 0, start_time: formatTime(start), end_time: formatTime(start + width - 1) })
  }
  return found
}

/** The last instant of the span that an instant is in; weeks begin on Mondays. */
function endOf(time: Micros, unit: TimeUnit): Micros {
  const width = unitMicros[unit]
  return pivot + (Math.floor((time - pivot) / width) + 1) * width - 1
}

async function countSpans(db: Db, criteria: Criteria, first: Micros, width: Micros): Promise<Map<number, number>> {
  const few = await fewEvents(db, criteria)
  if (!few) return countTimesInChapters(db, criteria, first, width)
  const counts = new Map<number, number>()
  for (const { occurred } of few) {
    const span = Math.floor((occurred - first) / width)
    counts.set(span, (counts.get(span) ?? 0) + 1)
  }
  return counts
}

import { sql } from 'kysely'
import type { Micros } from '../lib/time.ts'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import { col } from '../storage/dialect.ts'
import type { NameCriteria } from './criteria.ts'
import { matchesNameCriteria } from './match-event.ts'
import { quarterHourMicros, startOfQuarterHour } from './time-buckets.ts'
import { isWithin, nameWhere, prefixesMax, type TimeRange } from './where.ts'

/**
 * Counts by the tallies that are written with the log, whose cost does not grow with the number of events. At the ends of a range, a span
 * that the range cuts is counted in the log itself; mostly none is, as a span tells its oldest and newest event and counts as a whole when
 * both lie within.
 */
export interface GroupCount {
  readonly value: string
  readonly name: string | null
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/** How often each event happened. */
export async function countNamesByRollup(db: Db, range: TimeRange, criteria: NameCriteria | null): Promise<GroupCount[]> {
  const names = await resolvePrefixes(db, range, criteria)
  if (names === noNames) return []
  const { rows } = await sql<GroupCount>`
    select event as value, null as name, sum(count) as count, min(oldest) as oldest, max(newest) as newest from event_tally
    where ${all([bucketsWithin(range), isWholeBucket(range), ...nameWhere(db.dialect, 'event_tally.event', names)])} group by event`.execute(
    db.kysely,
  )
  return mergeCounts([...rows, ...(await countPartialBuckets(db, range, names))])
}

/** The names that events in a range may have; none of them is counted. */
export async function readNamesInRange(db: Db, range: TimeRange, names: NameCriteria): Promise<string[]> {
  const { rows } = await sql<{ event: string }>`
    select distinct event from event_tally where ${all([
      bucketsWithin(range),
      sql<boolean>`newest >= ${range.since} and oldest <= ${range.until}`,
      ...nameWhere(db.dialect, 'event_tally.event', names),
    ])}`.execute(db.kysely)
  return rows.map(({ event }) => event)
}

/** Counts in equal spans of time from a first instant on; both must be whole quarters of an hour. */
export async function countTimesByRollup(
  db: Db,
  range: TimeRange,
  criteria: NameCriteria | null,
  first: Micros,
  width: Micros,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  const names = await resolvePrefixes(db, range, criteria)
  if (names === noNames) return counts
  const add = (time: Micros, count: number) =>
    counts.set(Math.floor((time - first) / width), (counts.get(Math.floor((time - first) / width)) ?? 0) + count)
  const { rows } = await sql<{ quarter: number; count: number }>`
    select quarter, sum(count) as count from event_tally
    where ${all([bucketsWithin(range), isWholeBucket(range), ...nameWhere(db.dialect, 'event_tally.event', names)])} group by quarter`.execute(
    db.kysely,
  )
  for (const { quarter, count } of rows) add(quarter, Number(count))
  for (const edge of await countPartialBuckets(db, range, names)) add(edge.oldest, edge.count)
  return counts
}

const noNames = Symbol('none')

/** What is asked of names, with the names themselves in place of prefixes when there are many of these: a query would compare each row with each. */
async function resolvePrefixes(db: Db, range: TimeRange, criteria: NameCriteria | null): Promise<NameCriteria | null | typeof noNames> {
  if (!criteria || criteria.prefixes.length + criteria.notPrefixes.length <= prefixesMax) return criteria
  const { rows } = await sql<{ event: string }>`select distinct event from event_tally where ${bucketsWithin(range)}`.execute(db.kysely)
  const names = rows.map(({ event }) => event).filter((event) => matchesNameCriteria(criteria, event))
  return names.length === 0 ? noNames : { prefixes: [], names, notPrefixes: [], notNames: [] }
}

/** One for each value; called as it was last. */
export function mergeCounts(tallies: readonly GroupCount[]): GroupCount[] {
  const found = new Map<string, GroupCount>()
  for (const tally of tallies) {
    const known = found.get(tally.value)
    found.set(tally.value, known ? addCounts(known, tally) : { ...tally, count: Number(tally.count) })
  }
  return [...found.values()]
}

const addCounts = (a: GroupCount, b: GroupCount): GroupCount => ({
  value: a.value,
  name: b.newest >= a.newest ? b.name : a.name,
  count: a.count + Number(b.count),
  oldest: Math.min(a.oldest, b.oldest),
  newest: Math.max(a.newest, b.newest),
})

const bucketsWithin = ({ since, until }: TimeRange): Condition =>
  isWithin('event_tally.quarter', { since: startOfQuarterHour(since), until: startOfQuarterHour(until) })

const isWholeBucket = ({ since, until }: TimeRange): Condition => sql<boolean>`oldest >= ${since} and newest <= ${until}`

/** Counts in the log what the tallies at both ends of the range cannot tell. */
async function countPartialBuckets(db: Db, range: TimeRange, names: NameCriteria | null): Promise<GroupCount[]> {
  const found: GroupCount[] = []
  for (const start of new Set([startOfQuarterHour(range.since), startOfQuarterHour(range.until)])) {
    const { rows: cut } = await sql<{ event: string }>`
      select event from event_tally where ${all([
        sql<boolean>`quarter = ${start}`,
        sql<boolean>`not (${isWholeBucket(range)}) and newest >= ${range.since} and oldest <= ${range.until}`,
        ...nameWhere(db.dialect, 'event_tally.event', names),
      ])}`.execute(db.kysely)
    if (cut.length === 0) continue
    const within = { since: Math.max(range.since, start), until: Math.min(range.until, start + quarterHourMicros - 1) }
    const events = cut.map(({ event }) => event)
    found.push(...(await countInLog(db, within, events)))
  }
  return found
}

async function countInLog(db: Db, range: TimeRange, names: readonly string[]): Promise<GroupCount[]> {
  const { rows } = await sql<GroupCount>`
    select event as value, null as name, count(*) as count, min(occurred) as oldest, max(occurred) as newest
    from event where ${all([isWithin('event.occurred', range), db.dialect.isIn(col('event.event'), names, 'text')])} group by event`.execute(
    db.kysely,
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

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
 * A count from the rollup (`event_tally`), which is written with the log: its cost does not grow with the number of events. A bucket that the range cuts is
 * counted in the log. Mostly there is none: a bucket stores its oldest and newest event and counts fully when both are in the range.
 */
export interface GroupCount {
  readonly value: string
  readonly name: string | null
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/** Counts events by name. */
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

/** The event names in a range, without counts. */
export async function readNamesInRange(db: Db, range: TimeRange, names: NameCriteria): Promise<string[]> {
  const { rows } = await sql<{ event: string }>`
    select distinct event from event_tally where ${all([
      bucketsWithin(range),
      sql<boolean>`newest >= ${range.since} and oldest <= ${range.until}`,
      ...nameWhere(db.dialect, 'event_tally.event', names),
    ])}`.execute(db.kysely)
  return rows.map(({ event }) => event)
}

/** Counts events in time buckets. `first` and `width` must be multiples of a quarter hour. */
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
  for (const { oldest, count } of await countPartialBuckets(db, range, names)) add(oldest, count)
  return counts
}

const noNames = Symbol('none')

/** Replaces many prefixes by the matching names, because the query would compare each row with each prefix. */
async function resolvePrefixes(db: Db, range: TimeRange, criteria: NameCriteria | null): Promise<NameCriteria | null | typeof noNames> {
  if (!criteria || criteria.prefixes.length + criteria.notPrefixes.length <= prefixesMax) return criteria
  const { rows } = await sql<{ event: string }>`select distinct event from event_tally where ${bucketsWithin(range)}`.execute(db.kysely)
  const names = rows.map(({ event }) => event).filter((event) => matchesNameCriteria(criteria, event))
  return names.length === 0 ? noNames : { prefixes: [], names, notPrefixes: [], notNames: [] }
}

/** Merges counts by value. The name of the newest wins. */
export function mergeCounts(groups: readonly GroupCount[]): GroupCount[] {
  const merged = new Map<string, GroupCount>()
  for (const group of groups) {
    const previous = merged.get(group.value)
    merged.set(group.value, previous ? addCounts(previous, group) : { ...group, count: Number(group.count) })
  }
  return [...merged.values()]
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

/** Counts the buckets at both ends of the range in the log when the range cuts them. */
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

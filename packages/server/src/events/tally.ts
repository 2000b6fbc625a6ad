import { sql } from 'kysely'
import type { Micros } from '../lib/time.ts'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import { col } from '../storage/dialect.ts'
import type { NameCriteria, ResourceCriteria } from './criteria.ts'
import { dayMicros, dayOf, quarterMicros, quarterOf } from './spans.ts'
import { idWhere, nameWhere, type Range, within } from './where.ts'

/**
 * Counts by the tallies that are written with the log, whose cost does not grow with the number of events. At the ends of a range, a span
 * that the range cuts is counted in the log itself; mostly none is, as a span tells its oldest and newest event and counts as a whole when
 * both lie within.
 */
export interface Tally {
  readonly value: string
  readonly name: string | null
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/** The two tables have the same columns under other names. */
interface Kind {
  readonly table: 'event_tally' | 'event_resource_tally'
  readonly span: string
  readonly value: string
  /** The column of the log that is counted. */
  readonly logged: string
  readonly micros: number
  readonly spanOf: (time: Micros) => Micros
}

const byName: Kind = { table: 'event_tally', span: 'quarter', value: 'event', logged: 'event.event', micros: quarterMicros, spanOf: quarterOf }
const byResource: Kind = {
  table: 'event_resource_tally',
  span: 'day',
  value: 'resource_id',
  logged: 'event.resource_id',
  micros: dayMicros,
  spanOf: dayOf,
}

/** How often each event happened. */
export const tallyNames = (db: Db, range: Range, names: NameCriteria | null): Promise<Tally[]> =>
  tallied(db, byName, range, (column) => nameWhere(db.dialect, column, names))

/** How often something happened to each resource, and what that was called last. */
export const tallyResources = (db: Db, range: Range, wanted: Pick<ResourceCriteria, 'ids' | 'prefixes'> | null): Promise<Tally[]> =>
  tallied(db, byResource, range, (column) => (wanted ? idWhere(db.dialect, column, wanted) : []))

/** The same, all resources together: what each is called and when does not have to be looked at. */
export async function countSubjects(db: Db, range: Range, wanted: Pick<ResourceCriteria, 'ids' | 'prefixes'>): Promise<number> {
  const where: Where = (column) => idWhere(db.dialect, column, wanted)
  const among = all([...spansWithin(byResource, range), isWhole(range), ...where('event_resource_tally.resource_id')])
  const { rows } = await sql<{ count: number | null }>`select sum(count) as count from event_resource_tally where ${among}`.execute(db.kysely)
  return (await countEdges(db, byResource, range, where)).reduce((sum, { count }) => sum + count, Number(rows[0]?.count ?? 0))
}

/** Counts in equal spans of time from a first instant on; both must be whole quarters of an hour. */
export async function tallyTimes(db: Db, range: Range, names: NameCriteria | null, first: Micros, width: Micros): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  const add = (time: Micros, count: number) =>
    counts.set(Math.floor((time - first) / width), (counts.get(Math.floor((time - first) / width)) ?? 0) + count)
  const { rows } = await sql<{ quarter: number; count: number }>`
    select quarter, sum(count) as count from event_tally
    where ${all([...spansWithin(byName, range), isWhole(range), ...nameWhere(db.dialect, 'event_tally.event', names)])} group by quarter`.execute(
    db.kysely,
  )
  for (const { quarter, count } of rows) add(quarter, Number(count))
  for (const edge of await countEdges(db, byName, range, (column) => nameWhere(db.dialect, column, names))) add(edge.oldest, edge.count)
  return counts
}

/** About how many events there are in each quarter of an hour, whatever they are. */
export async function tallyQuarters(db: Db, range: Range): Promise<{ quarter: Micros; count: number; oldest: Micros; newest: Micros }[]> {
  const { rows } = await sql<{ quarter: Micros; count: number; oldest: Micros; newest: Micros }>`
    select quarter, sum(count) as count, min(oldest) as oldest, max(newest) as newest from event_tally
    where ${all(spansWithin(byName, range))} group by quarter order by quarter`.execute(db.kysely)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

type Where = (column: string) => Condition[]

async function tallied(db: Db, kind: Kind, range: Range, where: Where): Promise<Tally[]> {
  const among = all([...spansWithin(kind, range), isWhole(range), ...where(`${kind.table}.${kind.value}`)])
  const columns =
    kind === byName
      ? sql`event as value, null as name, sum(count) as count, min(oldest) as oldest, max(newest) as newest from event_tally where ${among} group by event`
      : sql`resource_id as value, name, count, oldest, newest from event_resource_tally where ${among}`
  const { rows } = await sql<Tally>`select ${columns}`.execute(db.kysely)
  return merged([...rows, ...(await countEdges(db, kind, range, where))])
}

/** One for each value; called as it was last. */
export function merged(tallies: readonly Tally[]): Tally[] {
  const found = new Map<string, Tally>()
  for (const tally of tallies) {
    const known = found.get(tally.value)
    found.set(tally.value, known ? joined(known, tally) : { ...tally, count: Number(tally.count) })
  }
  return [...found.values()]
}

const joined = (a: Tally, b: Tally): Tally => ({
  value: a.value,
  name: b.newest >= a.newest ? b.name : a.name,
  count: a.count + Number(b.count),
  oldest: Math.min(a.oldest, b.oldest),
  newest: Math.max(a.newest, b.newest),
})

const spansWithin = ({ table, span, spanOf }: Kind, { since, until }: Range): Condition[] => [
  within(`${table}.${span}`, { since: spanOf(since), until: spanOf(until) }),
]

const isWhole = ({ since, until }: Range): Condition => sql<boolean>`oldest >= ${since} and newest <= ${until}`

/** Counts in the log what the tallies at both ends of the range cannot tell. */
async function countEdges(db: Db, kind: Kind, range: Range, where: Where): Promise<Tally[]> {
  const found: Tally[] = []
  for (const start of new Set([kind.spanOf(range.since), kind.spanOf(range.until)])) {
    const { rows: cut } = await sql<{ value: string }>`
      select ${col(kind.value)} as value from ${sql.table(kind.table)} where ${all([
        sql<boolean>`${col(kind.span)} = ${start}`,
        sql<boolean>`not (${isWhole(range)}) and newest >= ${range.since} and oldest <= ${range.until}`,
        ...where(`${kind.table}.${kind.value}`),
      ])}`.execute(db.kysely)
    if (cut.length === 0) continue
    const within = { since: Math.max(range.since, start), until: Math.min(range.until, start + kind.micros - 1) }
    found.push(
      ...(await countLogged(
        db,
        kind,
        within,
        cut.map(({ value }) => value),
      )),
    )
  }
  return found
}

async function countLogged(db: Db, kind: Kind, range: Range, values: readonly string[]): Promise<Tally[]> {
  const among = all([within('event.occurred', range), db.dialect.isIn(col(kind.logged), values, 'text')])
  const { rows } = await sql<Omit<Tally, 'name'>>`
    select ${col(kind.logged)} as value, count(*) as count, min(event.occurred) as oldest, max(event.occurred) as newest
    from event where ${among} group by ${col(kind.logged)}`.execute(db.kysely)
  const tallies = rows.map((row) => ({ ...row, count: Number(row.count), name: null }))
  return kind === byResource ? withNames(db, tallies) : tallies
}

/** Resources looked up in one query at most. */
const namesAtOnce = 500

/** What each resource was called in its newest event among those counted. */
export async function withNames(db: Db, tallies: readonly Tally[]): Promise<Tally[]> {
  const names = new Map<string, string | null>()
  for (let from = 0; from < tallies.length; from += namesAtOnce) {
    const some = tallies.slice(from, from + namesAtOnce)
    const label = (key: string) => db.dialect.labelOf(sql`event.resource`, key)
    const { rows } = await sql<{ value: string; occurred: Micros; name: string | null }>`
      select event.resource_id as value, event.occurred, coalesce(${label('prefect.resource.name')}, ${label('prefect.name')}) as name
      from event_resource join event on event.position = event_resource.event_position and event.occurred = event_resource.occurred
      where event_resource.role = '' and ${db.dialect.isIn(
        col('event_resource.resource_id'),
        some.map(({ value }) => value),
        'text',
      )}
        and ${db.dialect.isIn(
          col('event_resource.occurred'),
          some.map(({ newest }) => newest),
          'int',
        )}
      order by event.position`.execute(db.kysely)
    const newest = new Map(some.map((tally) => [tally.value, tally.newest]))
    for (const { value, occurred, name } of rows) if (newest.get(value) === occurred) names.set(value, name)
  }
  return tallies.map((tally) => ({ ...tally, name: names.get(tally.value) ?? null }))
}

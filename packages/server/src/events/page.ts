import { type RawBuilder, sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import type { Criteria, ResourceCriteria } from './criteria.ts'
import { type Found, inOrder, othersFirst, scanEvents, type Wanted } from './scan.ts'
import { slicesOf } from './slices.ts'
import { fewestLinks } from './sparse.ts'
import type { Place } from './store.ts'
import { countSubjects, tallyNames } from './tally.ts'
import { idWhere, isRelated, isSubject, linkWhere, nameWhere, planned, type Range, within } from './where.ts'

/** Names and ids whose first events are fetched each for itself; more are looked for by walking through time. */
const branchesMax = 64

/**
 * A page of events and how many there are in all. Filters of one kind, which most are, are read off an index and counted by a tally or
 * that index; whatever combines several, or looks into labels and payloads, walks through the log slice by slice.
 */
export async function findEvents(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found> {
  const { ids, names, resource, related, any, search, distinct } = criteria
  if (criteria.since > criteria.until) return { places: [], total: 0 }
  if (ids) return scanEvents(db, criteria, wanted, { slices: [criteria] })
  const plain = !search && !distinct && [resource, ...related, ...any].every((link) => !link || link.labels.length === 0)
  const kinds = Number(names !== null) + Number(resource !== null) + related.length + any.length
  if (plain && kinds <= 1) {
    if (kinds === 0 || names) return findNamed(db, criteria, wanted)
    if (resource && resource.ids.length === 0) return findPrefixed(db, criteria, wanted, resource)
    const link = resource ?? related[0] ?? any[0]
    if (link && link.ids.length > 0 && link.ids.length <= branchesMax) return findLinked(db, criteria, wanted, link)
  }
  const few = await fewestLinks(db, criteria)
  if (few) return scanEvents(db, criteria, wanted, { slices: [criteria], among: few })
  return scanEvents(db, criteria, wanted, { slices: await slicesOf(db, criteria) })
}

async function findNamed(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found> {
  const tallies = await tallyNames(db, criteria, criteria.names)
  const total = wanted.total ?? sum(tallies)
  if (tallies.length === 0) return { places: [], total }
  const each = criteria.names !== null && tallies.length <= branchesMax
  const branches = each ? tallies.map(({ value }) => [sql<boolean>`event.event = ${value}`]) : [nameWhere(db.dialect, 'event.event', criteria.names)]
  return { places: await firstOf(db, criteria, wanted, log, branches), total }
}

/** By how the subject's id begins: few are fetched one by one, many lie so close together that walking through time meets them at once. */
async function findPrefixed(db: Db, criteria: Criteria, wanted: Wanted, resource: ResourceCriteria): Promise<Found> {
  const total = wanted.total ?? (await countSubjects(db, criteria, resource))
  if (total > db.dialect.rowsAtOnce)
    return { places: await firstOf(db, criteria, wanted, log, [idWhere(db.dialect, 'event.resource_id', resource)]), total }
  return { places: total === 0 ? [] : await firstOf(db, criteria, wanted, links, [[isSubject, ...linkWhere(db.dialect, resource, criteria)]]), total }
}

async function findLinked(db: Db, criteria: Criteria, wanted: Wanted, link: ResourceCriteria): Promise<Found> {
  const role = criteria.resource ? [isSubject] : criteria.related.length > 0 ? [isRelated] : []
  const total = wanted.total ?? (await countLinked(db, criteria, link, role))
  if (total === 0) return { places: [], total }
  const branches = link.ids.map((id) => [...role, ...linkWhere(db.dialect, { ...link, ids: [id] }, criteria)])
  return { places: await firstOf(db, criteria, wanted, links, branches), total }
}

/** Few are counted at once; a resource that is in hundreds of thousands of events is counted slice by slice, so that nobody waits for it. */
async function countLinked(db: Db, criteria: Criteria, link: ResourceCriteria, role: Condition[]): Promise<number> {
  const among = (range: Range) => sql`select 1 from event_resource where ${all([...role, ...linkWhere(db.dialect, link, range)])}`
  const count = async (range: Range, limit?: number): Promise<number> => {
    // A resource may be in one event in several roles, and several may be in one event; one in one role is there once.
    const once = link.ids.length === 1 && (criteria.resource !== null || link.roles.length === 1)
    const rows = sql`${among(range)} ${once ? sql`` : sql`group by occurred, event_position`} ${limit === undefined ? sql`` : sql`limit ${limit}`}`
    return Number((await sql<{ count: number }>`${planned} select count(*) as count from (${rows}) counted`.execute(db.kysely)).rows[0]?.count ?? 0)
  }
  const few = await count(criteria, db.dialect.rowsAtOnce + 1)
  if (few <= db.dialect.rowsAtOnce) return few
  let total = 0
  for (const slice of await slicesOf(db, criteria)) {
    total += await count(slice)
    await othersFirst()
  }
  return total
}

const sum = (tallies: readonly { count: number }[]): number => tallies.reduce((total, { count }) => total + count, 0)

interface Source {
  readonly table: 'event' | 'event_resource'
  readonly position: string
}

const log: Source = { table: 'event', position: 'event.position' }
const links: Source = { table: 'event_resource', position: 'event_resource.event_position' }

/** The first places of several ranges of an index, each of which is in order: as many of each as might be needed, then the first of all. */
async function firstOf(db: Db, criteria: Criteria, wanted: Wanted, source: Source, branches: readonly Condition[][]): Promise<Place[]> {
  if (wanted.limit === 0) return []
  const [occurred, position] = [sql.ref(`${source.table}.occurred`), sql.ref(source.position)]
  // An event is found once for each of its roles.
  const once = source === links ? sql`group by ${occurred}, ${position}` : sql``
  const parts = branches.map(
    (conditions) => sql`select * from (select ${occurred} as occurred, ${position} as position from ${sql.table(source.table)}
      where ${all([within(`${source.table}.occurred`, criteria), ...afterPlace(criteria, wanted.after, occurred, position), ...conditions])}
      ${once} ${inOrder(criteria, occurred, position)} limit ${wanted.limit}) branch`,
  )
  const { rows } =
    await sql<Place>`${planned} ${sql.join(parts, sql` union `)} ${inOrder(criteria, sql`occurred`, sql`position`)} limit ${wanted.limit}`.execute(
      db.kysely,
    )
  return rows
}

function afterPlace({ order }: Criteria, after: Place | undefined, occurred: RawBuilder<unknown>, position: RawBuilder<unknown>): Condition[] {
  if (!after) return []
  const place = sql`(${after.occurred}, ${after.position})`
  return [order === 'DESC' ? sql<boolean>`(${occurred}, ${position}) < ${place}` : sql<boolean>`(${occurred}, ${position}) > ${place}`]
}

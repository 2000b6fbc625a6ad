import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import { findInChapters } from './chapters/find.ts'
import type { Criteria } from './criteria.ts'
import { fewPlaces } from './few.ts'
import { comesBefore, type Found, type Place, type Wanted } from './store.ts'
import { namesIn, tallyNames } from './tally.ts'
import { planned, within } from './where.ts'

/** Names whose first events are fetched each for itself. */
const branchesMax = 64

/**
 * A page of events and how many there are in all. Names are read off an index and counted by a tally; resources that few events have are read off
 * theirs. Everything else is asked of the log's chapters.
 */
export async function findEvents(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found> {
  if (criteria.since > criteria.until) return { places: [], total: 0 }
  const { ids, resource, related, any, search, distinct } = criteria
  if (!ids && !search && !distinct && !resource && related.length + any.length === 0) {
    const found = await findNamed(db, criteria, wanted)
    if (found) return found
  }
  const few = await fewPlaces(db, criteria)
  return few ? pageOf(distinct ? firstOfEach(few, criteria) : few, criteria, wanted) : findInChapters(db, criteria, wanted)
}

function pageOf(found: readonly Place[], criteria: Criteria, { limit, after, total }: Wanted): Found {
  const inOrder = found.toSorted((a, b) => (comesBefore(criteria, a, b) ? -1 : 1))
  const rest = after ? inOrder.filter((place) => comesBefore(criteria, after, place)) : inOrder
  return { places: rest.slice(0, limit).map(({ occurred, position }) => ({ occurred, position })), total: total ?? found.length }
}

/** Only the first event of each resource, in the order of the list. */
function firstOfEach(found: readonly (Place & { readonly resource_id?: string })[], criteria: Criteria): Place[] {
  const firsts = new Map<string | undefined, Place>()
  for (const place of found) {
    const known = firsts.get(place.resource_id)
    if (!known || comesBefore(criteria, place, known)) firsts.set(place.resource_id, place)
  }
  return [...firsts.values()]
}

async function findNamed(db: Db, criteria: Criteria, wanted: Wanted): Promise<Found | undefined> {
  const { total, names } = await overviewOf(db, criteria, wanted)
  if (names?.length === 0) return { places: [], total }
  if (names && names.length > branchesMax) return undefined
  const branches = names?.map((name) => [sql<boolean>`event.event = ${name}`]) ?? [[]]
  return { places: await firstOf(db, criteria, wanted, branches), total }
}

interface Overview {
  readonly total: number
  /** The names that events in the range may have, when only some are asked for. */
  readonly names: readonly string[] | undefined
}

/** Counts only where the total is not known: at the ends of the range it counts in the log itself, which a list of many pages must not do for each. */
async function overviewOf(db: Db, criteria: Criteria, { total }: Wanted): Promise<Overview> {
  if (total !== undefined) return { total, names: criteria.names ? await namesIn(db, criteria, criteria.names) : undefined }
  const tallies = await tallyNames(db, criteria, criteria.names)
  const names = criteria.names || tallies.length === 0 ? tallies.map(({ value }) => value) : undefined
  return { total: tallies.reduce((sum, { count }) => sum + count, 0), names }
}

/** The first places of several ranges of an index, each of which is in order: as many of each as might be needed, then the first of all. */
async function firstOf(db: Db, criteria: Criteria, wanted: Wanted, branches: readonly Condition[][]): Promise<Place[]> {
  if (wanted.limit === 0) return []
  const order = criteria.order === 'DESC' ? sql`order by occurred desc, position desc` : sql`order by occurred, position`
  const parts = branches.map(
    (conditions) => sql`select * from (select occurred, position from event
      where ${all([within('event.occurred', criteria), ...afterPlace(criteria, wanted.after), ...conditions])} ${order} limit ${wanted.limit}) branch`,
  )
  const { rows } = await sql<Place>`${planned} ${sql.join(parts, sql` union `)} ${order} limit ${wanted.limit}`.execute(db.kysely)
  return rows
}

function afterPlace({ order }: Criteria, after: Place | undefined): Condition[] {
  if (!after) return []
  const place = sql`(${after.occurred}, ${after.position})`
  return [order === 'DESC' ? sql<boolean>`(occurred, position) < ${place}` : sql<boolean>`(occurred, position) > ${place}`]
}

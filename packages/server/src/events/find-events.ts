import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import type { Criteria } from './criteria.ts'
import { lookupKeys } from './index-lookup.ts'
import { countNamesByRollup, readNamesInRange } from './rollup.ts'
import { findInSegments } from './segments/find-in-segments.ts'
import { comesBefore, type EventKey, type PageRequest, type PageResult } from './store.ts'
import { isWithin, replanHint } from './where.ts'

/** Names whose first events are fetched each for itself. */
const branchesMax = 64

/**
 * A page of events and how many there are in all. Names are read off an index and counted by a tally; resources that few events have are read off
 * theirs. Everything else is asked of the log's chapters.
 */
export async function findEvents(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  if (criteria.since > criteria.until) return { keys: [], total: 0 }
  const { ids, resource, related, any, search, distinct } = criteria
  if (!ids && !search && !distinct && !resource && related.length + any.length === 0) {
    const found = await findByName(db, criteria, request)
    if (found) return found
  }
  const few = await lookupKeys(db, criteria)
  return few ? toPage(distinct ? firstPerResource(few, criteria) : few, criteria, request) : findInSegments(db, criteria, request)
}

function toPage(found: readonly EventKey[], criteria: Criteria, { limit, after, total }: PageRequest): PageResult {
  const inOrder = found.toSorted((a, b) => (comesBefore(criteria, a, b) ? -1 : 1))
  const rest = after ? inOrder.filter((place) => comesBefore(criteria, after, place)) : inOrder
  return { keys: rest.slice(0, limit).map(({ occurred, position }) => ({ occurred, position })), total: total ?? found.length }
}

/** Only the first event of each resource, in the order of the list. */
function firstPerResource(found: readonly (EventKey & { readonly resource_id?: string })[], criteria: Criteria): EventKey[] {
  const firsts = new Map<string | undefined, EventKey>()
  for (const place of found) {
    const known = firsts.get(place.resource_id)
    if (!known || comesBefore(criteria, place, known)) firsts.set(place.resource_id, place)
  }
  return [...firsts.values()]
}

async function findByName(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult | undefined> {
  const { total, names } = await readNameOverview(db, criteria, request)
  if (names?.length === 0) return { keys: [], total }
  if (names && names.length > branchesMax) return undefined
  const branches = names?.map((name) => [sql<boolean>`event.event = ${name}`]) ?? [[]]
  return { keys: await readFirstKeys(db, criteria, request, branches), total }
}

interface NameOverview {
  readonly total: number
  /** The names that events in the range may have, when only some are asked for. */
  readonly names: readonly string[] | undefined
}

/** Counts only where the total is not known: at the ends of the range it counts in the log itself, which a list of many pages must not do for each. */
async function readNameOverview(db: Db, criteria: Criteria, { total }: PageRequest): Promise<NameOverview> {
  if (total !== undefined) return { total, names: criteria.names ? await readNamesInRange(db, criteria, criteria.names) : undefined }
  const groups = await countNamesByRollup(db, criteria, criteria.names)
  const names = criteria.names || groups.length === 0 ? groups.map(({ value }) => value) : undefined
  return { total: groups.reduce((sum, { count }) => sum + count, 0), names }
}

/** The first places of several ranges of an index, each of which is in order: as many of each as might be needed, then the first of all. */
async function readFirstKeys(db: Db, criteria: Criteria, request: PageRequest, branches: readonly Condition[][]): Promise<EventKey[]> {
  if (request.limit === 0) return []
  const order = criteria.order === 'DESC' ? sql`order by occurred desc, position desc` : sql`order by occurred, position`
  const parts = branches.map(
    (conditions) => sql`select * from (select occurred, position from event
      where ${all([isWithin('event.occurred', criteria), ...afterKey(criteria, request.after), ...conditions])} ${order} limit ${request.limit}) branch`,
  )
  const { rows } = await sql<EventKey>`${replanHint} ${sql.join(parts, sql` union `)} ${order} limit ${request.limit}`.execute(db.kysely)
  return rows
}

function afterKey({ order }: Criteria, after: EventKey | undefined): Condition[] {
  if (!after) return []
  const place = sql`(${after.occurred}, ${after.position})`
  return [order === 'DESC' ? sql<boolean>`(occurred, position) < ${place}` : sql<boolean>`(occurred, position) > ${place}`]
}

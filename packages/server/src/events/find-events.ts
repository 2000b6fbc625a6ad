import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'
import type { Criteria } from './criteria.ts'
import { lookupKeys } from './index-lookup.ts'
import { countNamesByRollup, readNamesInRange } from './rollup.ts'
import { findInSegments } from './segments/find-in-segments.ts'
import { comesBefore, type EventKey, type PageRequest, type PageResult } from './store.ts'
import { isWithin, replanHint } from './where.ts'

/** Up to this many names, each gets its own index range. */
const branchesMax = 64

/**
 * A page of events with the total. Names use an index and the rollup. Resources with few events use the resource index. Everything else scans the segments.
 */
export async function findEvents(db: Db, criteria: Criteria, request: PageRequest): Promise<PageResult> {
  if (criteria.since > criteria.until) return { keys: [], total: 0 }
  const { ids, resource, related, any, search, distinct } = criteria
  if (!ids && !search && !distinct && !resource && related.length + any.length === 0) {
    const found = await findByName(db, criteria, request)
    if (found) return found
  }
  const keys = await lookupKeys(db, criteria)
  return keys ? toPage(distinct ? firstPerResource(keys, criteria) : keys, criteria, request) : findInSegments(db, criteria, request)
}

function toPage(found: readonly EventKey[], criteria: Criteria, { limit, after, total }: PageRequest): PageResult {
  const sorted = found.toSorted((a, b) => (comesBefore(criteria, a, b) ? -1 : 1))
  const rest = after ? sorted.filter((key) => comesBefore(criteria, after, key)) : sorted
  return { keys: rest.slice(0, limit).map(({ occurred, position }) => ({ occurred, position })), total: total ?? found.length }
}

/** The first event of each resource, in the order of the list. */
function firstPerResource(found: readonly (EventKey & { readonly resource_id?: string })[], criteria: Criteria): EventKey[] {
  const firsts = new Map<string | undefined, EventKey>()
  for (const key of found) {
    const first = firsts.get(key.resource_id)
    if (!first || comesBefore(criteria, key, first)) firsts.set(key.resource_id, key)
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
  /** The names of events in the range that match; undefined when the filter allows all names. */
  readonly names: readonly string[] | undefined
}

/** Counts only for the first page: partial buckets at the ends of the range are counted in the log, which is too slow for every page. */
async function readNameOverview(db: Db, criteria: Criteria, { total }: PageRequest): Promise<NameOverview> {
  if (total !== undefined) return { total, names: criteria.names ? await readNamesInRange(db, criteria, criteria.names) : undefined }
  const groups = await countNamesByRollup(db, criteria, criteria.names)
  const names = criteria.names || groups.length === 0 ? groups.map(({ value }) => value) : undefined
  return { total: groups.reduce((sum, { count }) => sum + count, 0), names }
}

/** The first keys of several index ranges. Each range is sorted, so `limit` rows of each are enough. */
async function readFirstKeys(db: Db, criteria: Criteria, request: PageRequest, branches: readonly Condition[][]): Promise<EventKey[]> {
  if (request.limit === 0) return []
  const order = criteria.order === 'DESC' ? sql`order by occurred desc, position desc` : sql`order by occurred, position`
  const queries = branches.map(
    (conditions) => sql`select * from (select occurred, position from event
      where ${all([isWithin('event.occurred', criteria), ...afterKey(criteria, request.after), ...conditions])} ${order} limit ${request.limit}) branch`,
  )
  const { rows } = await sql<EventKey>`${replanHint} ${sql.join(queries, sql` union `)} ${order} limit ${request.limit}`.execute(db.kysely)
  return rows
}

function afterKey({ order }: Criteria, after: EventKey | undefined): Condition[] {
  if (!after) return []
  const key = sql`(${after.occurred}, ${after.position})`
  return [order === 'DESC' ? sql<boolean>`(occurred, position) < ${key}` : sql<boolean>`(occurred, position) > ${key}`]
}

import { sql } from 'kysely'
import { all, type Condition } from '../storage/criteria.ts'
import { type Db, statement } from '../storage/database.ts'
import type { Criteria, ResourceCriteria } from './criteria.ts'
import { LoggedEvent } from './logged-event.ts'
import { matchesEvent } from './match-event.ts'
import { segmentIndexOf } from './segments/segment-index.ts'
import { type EventKey, type EventRow, readEventsByKey } from './store.ts'
import { isPrimaryResource, isRelatedResource, replanHint, resourceWhere } from './where.ts'

const byIds = statement((dialect) => `select * from event where ${dialect.inList('id', '$1', 'uuid')}`)

/** Reads the matching events through the index of ids or resources. Undefined when the filter names neither, or too many events. */
export async function lookupEvents(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const rows = criteria.ids ? await db.all<EventRow>(byIds, [db.dialect.list(criteria.ids)]) : await lookupByResource(db, criteria)
  return rows?.filter((row) => matchesEvent(criteria, new LoggedEvent(row)))
}

/** Reading and parsing one row costs as much as testing a dozen events in a segment. */
const lookupShareOfSegment = 1 / 12

async function lookupByResource(db: Db, criteria: Criteria): Promise<EventRow[] | undefined> {
  const rowsMax = Math.floor(segmentIndexOf(db).size * lookupShareOfSegment)
  for (const lookup of resourceLookups(criteria)) {
    const keys = await readKeys(db, criteria, lookup, rowsMax)
    if (keys) return readEventsByKey(db, keys)
  }
  return undefined
}

/** The keys of the matching events, when they are few. The limit is higher when the resource index alone answers the filter. */
export async function lookupKeys(db: Db, criteria: Criteria): Promise<(EventKey & { readonly resource_id?: string })[] | undefined> {
  const [lookup] = resourceLookups(criteria)
  return lookup && isCoveredByIndex(criteria, lookup) ? readKeys(db, criteria, lookup, segmentIndexOf(db).size) : lookupEvents(db, criteria)
}

/** Whether a filter restricts only one resource, by id and role. */
const isCoveredByIndex = ({ ids, names, resource, related, any, search, distinct }: Criteria, { wanted }: ResourceLookup): boolean =>
  !ids &&
  !names &&
  !search &&
  !distinct &&
  Number(resource !== null) + related.length + any.length === 1 &&
  wanted.labels.length + wanted.prefixes.length === 0

interface ResourceLookup {
  readonly wanted: ResourceCriteria
  readonly roleConditions: Condition[]
}

/** The resources that a filter names by full id. Only these are index lookups. */
function resourceLookups({ resource, related, any }: Criteria): ResourceLookup[] {
  return [
    ...(resource ? [{ wanted: resource, roleConditions: [isPrimaryResource] }] : []),
    ...related.map((wanted) => ({ wanted, roleConditions: [isRelatedResource] })),
    ...any.map((wanted) => ({ wanted, roleConditions: [] })),
  ].filter(({ wanted }) => wanted.ids.length + wanted.idRolePairs.length > 0)
}

/** The distinct keys; an event may have a resource in several roles. Undefined above `rowsMax`. */
async function readKeys(db: Db, criteria: Criteria, { wanted, roleConditions }: ResourceLookup, rowsMax: number): Promise<EventKey[] | undefined> {
  const where = all([...roleConditions, ...resourceWhere(db.dialect, wanted, criteria)])
  const { rows } = await sql<EventKey>`${replanHint}
    select event_resource.occurred, event_resource.event_position as position from event_resource where ${where} limit ${rowsMax + 1}`.execute(
    db.kysely,
  )
  if (rows.length > rowsMax) return undefined
  return [...new Map(rows.map((key) => [key.position, key])).values()]
}
